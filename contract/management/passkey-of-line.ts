import { z } from 'zod'
import { failsWith, mustBe } from '../field-errors.js'
import { name } from '../fields.js'
import { credentialIdExample } from '../passkey-responses.js'
import { component, field } from '../registry.js'
import { notFlag, strict } from './fields.js'
import { time } from './line-fields.js'

const bytes = (description: string, max: number, example: string) =>
  field(
    description,
    z
      .string(mustBe('a string'))
      .regex(/^[\w-]+$/, failsWith('invalid_type', 'must be base64url without padding'))
      .max(max, failsWith('too_long', `must have at most ${max} characters`)),
    { examples: [example], maxLength: max },
  )

/** A passkey of an imported user. */
export const PasskeyOfLine = component(
  {
    id: 'PasskeyOfLine',
    description:
      'A passkey of an imported user. It works only at the same domain as before. Bytes are base64url.',
  },
  strict({
    credentialId: bytes('ID of the credential.', 1364, credentialIdExample),
    publicKey: bytes(
      'The public key as a COSE key (RFC 9052).',
      800,
      'pQECAyYgASFYIK_vr6Fvl8qbLSPrhsy2QJjSDbkIVgYuskmcM6m2cvJt9iJYIJMKVrh6L8pmM0sDRYq_h5cXwSzGjtcykK8uJmR5a5Ig',
    ),
    domain: field('The RP ID with which it was created.', z.string(mustBe('a string')).max(253), {
      examples: ['example.com'],
      maxLength: 253,
    }),
    userHandle: bytes('The `user.id` with which it was created.', 86, 'MDFhMWZjNmU'),
    signCount: field(
      'Its counter. Default: 0, it does not count.',
      z.int().min(0).max(4_294_967_295).nullish(),
      {
        format: 'int64',
      },
    ),
    transports: field(
      'How its authenticator can be reached.',
      z
        .array(z.string(mustBe('a string')).max(32))
        .max(10)
        .nullish(),
      { examples: [['internal', 'hybrid']] },
    ),
    isSynced: field('Whether other devices can have it (the flag BE).', z.boolean(notFlag)),
    logsIn: field(
      'Whether it can log in alone: it is discoverable, and has verified its user. Default: true.',
      z.boolean(notFlag).nullish(),
    ),
    name: field('Name that the user has given to it.', name().nullish(), { examples: ['Ada’s phone'] }),
    createdAt: time('When it was added. Default: `createdAt` of the user.'),
  }),
)
export type PasskeyOfLine = z.output<typeof PasskeyOfLine>
