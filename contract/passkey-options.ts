import { z } from 'zod'
import { credentialIdExample, type Named } from './passkey-responses.js'
import { component, field } from './registry.js'

interface Descriptor {
  type: 'public-key'
  id: string
  transports: string[]
}

/** Options of `navigator.credentials.get`. */
export interface PublicKeyCredentialRequestOptionsJSON {
  challenge: string
  rpId: string
  timeout: number
  userVerification: 'required' | 'preferred'
  allowCredentials: Descriptor[]
}

/** Options of `navigator.credentials.create`. */
export interface PublicKeyCredentialCreationOptionsJSON {
  challenge: string
  rp: { id: string; name: string }
  user: { id: string; name: string; displayName: string }
  pubKeyCredParams: { type: 'public-key'; alg: number }[]
  timeout: number
  excludeCredentials: Descriptor[]
  authenticatorSelection: { residentKey: 'preferred'; userVerification: 'required' | 'preferred' }
  attestation: 'none'
  extensions: { credProps: boolean }
}

const challengeExample = 'eyJpZCI6IjAxYTFmYzZlIn0.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs'

const descriptorExample = { type: 'public-key' as const, id: credentialIdExample, transports: ['internal'] }

export const requestOptionsExample: PublicKeyCredentialRequestOptionsJSON = {
  challenge: challengeExample,
  rpId: 'example.com',
  timeout: 300_000,
  userVerification: 'required',
  allowCredentials: [],
}

export const creationOptionsExample: PublicKeyCredentialCreationOptionsJSON = {
  challenge: challengeExample,
  rp: { id: 'example.com', name: 'Acme' },
  user: { id: 'MDFhMWZjNmU', name: 'ada@example.com', displayName: 'ada@example.com' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  timeout: 300_000,
  excludeCredentials: [descriptorExample],
  authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
  attestation: 'none',
  extensions: { credProps: true },
}

const Descriptor: Named<Descriptor> = component(
  { id: 'PublicKeyCredentialDescriptorJSON', description: 'A passkey of the user.' },
  z.object({
    type: field('The kind of credential.', z.literal('public-key')),
    id: field('ID of the credential.', z.string(), { examples: [credentialIdExample] }),
    transports: field('How its authenticator can be reached.', z.array(z.string()), {
      examples: [['internal', 'hybrid']],
    }),
  }),
)
const challenge = () => field('The challenge to sign.', z.string(), { examples: [challengeExample] })
const timeout = () =>
  field('Milliseconds for which the challenge is valid.', z.int(), { format: 'int32', examples: [300_000] })
const verification = () =>
  field('Whether the authenticator must verify its user.', z.enum(['required', 'preferred']), {
    isOpen: true,
  })

export const PublicKeyCredentialRequestOptionsJSON: Named<PublicKeyCredentialRequestOptionsJSON> = component(
  {
    id: 'PublicKeyCredentialRequestOptionsJSON',
    description:
      'For `navigator.credentials.get`, after `PublicKeyCredential.parseRequestOptionsFromJSON` (WebAuthn, section 5.1.10).',
  },
  z.object({
    challenge: challenge(),
    rpId: field('The domain of the passkeys.', z.string(), { examples: ['example.com'] }),
    timeout: timeout(),
    userVerification: verification(),
    allowCredentials: field(
      'The passkeys of the user. Empty: the authenticator lists those that it has.',
      z.array(Descriptor),
    ),
  }),
)

export const PublicKeyCredentialCreationOptionsJSON: Named<PublicKeyCredentialCreationOptionsJSON> =
  component(
    {
      id: 'PublicKeyCredentialCreationOptionsJSON',
      description:
        'For `navigator.credentials.create`, after `PublicKeyCredential.parseCreationOptionsFromJSON` (WebAuthn, section 5.1.9).',
    },
    z.object({
      challenge: challenge(),
      rp: field(
        'The app.',
        z.object({
          id: field('The domain of the passkeys.', z.string(), { examples: ['example.com'] }),
          name: field('Name of the app.', z.string(), { examples: ['Acme'] }),
        }),
      ),
      user: field(
        'How the authenticator lists the passkey.',
        z.object({
          id: field('The user handle, as base64url.', z.string(), { examples: ['MDFhMWZjNmU'] }),
          name: field('Email address of the user.', z.string(), { examples: ['ada@example.com'] }),
          displayName: field('Email address of the user.', z.string(), {
            examples: ['ada@example.com'],
          }),
        }),
      ),
      pubKeyCredParams: field(
        'The accepted algorithms (RFC 9053).',
        z.array(
          z.object({
            type: field('The kind of credential.', z.literal('public-key')),
            alg: field('Number of the algorithm.', z.int(), { format: 'int32' }),
          }),
        ),
      ),
      timeout: timeout(),
      excludeCredentials: field(
        'The passkeys of the user. Their authenticators add no other one.',
        z.array(Descriptor),
      ),
      authenticatorSelection: field(
        'What the authenticator should do.',
        z.object({
          residentKey: field('Whether to create a discoverable passkey.', z.literal('preferred')),
          userVerification: verification(),
        }),
      ),
      attestation: field('Whether the authenticator should attest its kind.', z.literal('none')),
      extensions: field(
        'What the browser should tell of the passkey.',
        z.object({ credProps: field('Whether the passkey is discoverable.', z.boolean()) }),
      ),
    }),
  )
