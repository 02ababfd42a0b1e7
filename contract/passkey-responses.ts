import { z } from 'zod'
import { failsWith, mustBe } from './field-errors.js'
import { component, field } from './registry.js'

// The JSON forms of WebAuthn Level 3, sections 5.1.8 to 5.1.10. Only the fields that the service reads are listed.

/** What `navigator.credentials.get` returns. Bytes are base64url. */
export interface AuthenticationResponseJSON {
  id: string
  response: {
    clientDataJSON: string
    authenticatorData: string
    signature: string
    userHandle?: string | null | undefined
  }
}

/** What `navigator.credentials.create` returns. Bytes are base64url. */
export interface RegistrationResponseJSON {
  id: string
  response: { clientDataJSON: string; attestationObject: string; transports?: string[] | null | undefined }
  clientExtensionResults?:
    | { credProps?: { rk?: boolean | null | undefined } | null | undefined }
    | null
    | undefined
}

/** A schema whose type has a name: the compiler cannot write the type of the contract with all fields of these objects. */
export type Named<Type> = z.ZodType<Type, Type>

export const credentialIdExample = '-R85HbTJsv3g6nAYnLo_tj9Xm6YSKzOtlP_D7DMAhL4'
/** Returns the schema of bytes in a request, as base64url (RFC 4648, section 5) without padding. */
const bytes = (description: string, pattern = /^[\w-]+$/) =>
  field(
    description,
    z
      .string(mustBe('a string'))
      .regex(pattern, failsWith('invalid_type', 'must be base64url without padding'))
      .max(16_384, failsWith('too_long', 'must have at most 16384 characters')),
    { maxLength: 16_384 },
  )

const credentialId = () => bytes('ID of the credential.')
const clientData = () => bytes('What the browser has signed: its origin, and the challenge.')

export const AuthenticationResponseJSON: Named<AuthenticationResponseJSON> = component(
  {
    id: 'AuthenticationResponseJSON',
    description:
      'What `navigator.credentials.get` has returned, as JSON (WebAuthn, section 5.1.8). Other fields are ignored.',
    examples: [
      {
        id: credentialIdExample,
        response: {
          clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
          authenticatorData: 'v6vDdDKVi1AzYNOtZGHJxHNa5-j-3UZZKl4PAUUrLksZAAAAAA',
          signature: 'MEYCIQD1Ck4uRAkkl0qFhjs2HvKBnw',
          userHandle: 'MDFhMWZjNmU',
        },
      },
    ],
  },
  z.object(
    {
      id: credentialId(),
      response: field(
        'What the authenticator has signed.',
        z.object(
          {
            clientDataJSON: clientData(),
            authenticatorData: bytes('What the authenticator says of itself, and its counter.'),
            signature: bytes('The signature of both.'),
            userHandle: bytes(
              'The `user.id` with which the passkey was created. Null and an empty text mean none.',
              /^[\w-]*$/,
            ).nullish(),
          },
          mustBe('an object'),
        ),
      ),
    },
    mustBe('an object'),
  ),
)

export const RegistrationResponseJSON: Named<RegistrationResponseJSON> = component(
  {
    id: 'RegistrationResponseJSON',
    description:
      'What `navigator.credentials.create` has returned, as JSON (WebAuthn, section 5.1.8). Other fields are ignored, and so is the attestation.',
  },
  z.object(
    {
      id: credentialId(),
      response: field(
        'What the authenticator has created.',
        z.object(
          {
            clientDataJSON: clientData(),
            attestationObject: bytes('The public key, and what the authenticator says of itself.'),
            transports: field(
              'How the authenticator can be reached, for later logins.',
              z
                .array(
                  z
                    .string(mustBe('a string'))
                    .max(32, failsWith('too_long', 'must have at most 32 characters')),
                )
                .max(10, failsWith('too_long', 'must have at most 10 items'))
                .nullish(),
              { examples: [['internal', 'hybrid']] },
            ),
          },
          mustBe('an object'),
        ),
      ),
      clientExtensionResults: field(
        'What the browser says of the passkey.',
        z
          .object(
            { credProps: z.object({ rk: z.boolean().nullish() }, mustBe('an object')).nullish() },
            mustBe('an object'),
          )
          .nullish(),
      ),
    },
    mustBe('an object'),
  ),
)
