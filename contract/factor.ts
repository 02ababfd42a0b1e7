import { z } from 'zod'
import { instant } from './fields.js'
import { credentialIdExample } from './passkey-responses.js'
import { component, field } from './registry.js'

export const factorExample = {
  id: '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a05',
  kind: 'totp',
  name: 'Ada’s phone',
  createdAt: '2026-03-01T12:00:00.000Z',
  lastUsedOn: '2026-03-02',
} as const
const passkeyExample = {
  credentialId: credentialIdExample,
  domain: 'example.com',
  userHandle: 'MDFhMWZjNmU',
  isSynced: true,
}

/** What only passkeys have. */
const Passkey = component(
  { id: 'Passkey', description: 'A passkey.', examples: [passkeyExample] },
  z.object({
    credentialId: field('ID of the credential, as base64url.', z.string()),
    domain: field('The domain at which it works.', z.string()),
    userHandle: field('The `user.id` with which it was created, as base64url.', z.string()),
    isSynced: field('Whether other devices of the user can have it.', z.boolean()),
  }),
)

/** A second factor of a user. */
export const Factor = component(
  { id: 'Factor', description: 'A second factor of the user.', examples: [factorExample] },
  z.object({
    id: field('ID of the factor.', z.uuid()),
    kind: field(
      '`totp`: an authenticator app (RFC 6238). `passkey`: a passkey or a security key (WebAuthn).',
      z.enum(['totp', 'passkey']),
      { isOpen: true },
    ),
    name: field('Name that the user has given to it, or null.', z.string().nullable(), {
      examples: [factorExample.name],
    }),
    createdAt: instant('When it was added'),
    lastUsedOn: field('Day of its last use (UTC), or null.', z.iso.date().nullable()),
    passkey: field(
      'What the Signal API of browsers needs. Present if `kind` is `passkey`.',
      Passkey.optional(),
    ),
  }),
)
export type Factor = z.infer<typeof Factor>
