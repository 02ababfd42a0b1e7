import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { RefusedResponse, readClientData } from '../../server/domain/webauthn/signed-data.js'
import { verifyAssertion, verifyRegistration } from '../../server/domain/webauthn/verify.js'

interface Vector {
  name: string
  registration: Record<'challenge' | 'credential_id' | 'clientDataJSON' | 'attestationObject', string>
  authentication: Record<'challenge' | 'authenticatorData' | 'clientDataJSON' | 'signature', string>
}

/** The test vectors of WebAuthn Level 3, section 16. Bytes are hexadecimal. */
const vectors: Vector[] = JSON.parse(readFileSync(new URL('webauthn-vectors.json', import.meta.url), 'utf8'))

/** Pages in frames of other sites, and algorithms that the options do not list. */
const refused = /crossOrigin|topOrigin|ES384|ES512|Ed448/

const rp = { domain: 'example.org', origins: ['https://example.org'] }
const base64url = (hex: string) => Buffer.from(hex, 'hex').toString('base64url')

/** Creates the passkey of a vector, and logs in with it. Returns what the authenticator has said. */
async function verified({ registration, authentication }: Vector) {
  const id = base64url(registration.credential_id)
  const clientDataJSON = base64url(registration.clientDataJSON)
  const created = readClientData(clientDataJSON, { ...rp, type: 'webauthn.create' })
  expect(created.challenge).toBe(base64url(registration.challenge))
  const response = { clientDataJSON, attestationObject: base64url(registration.attestationObject) }
  const passkey = await verifyRegistration({ id, response }, { rp, clientData: created })
  const assertion = {
    clientDataJSON: base64url(authentication.clientDataJSON),
    authenticatorData: base64url(authentication.authenticatorData),
    signature: base64url(authentication.signature),
  }
  const clientData = readClientData(assertion.clientDataJSON, { ...rp, type: 'webauthn.get' })
  expect(clientData.challenge).toBe(base64url(authentication.challenge))
  const signed = { rp, clientData, needsVerification: false }
  const said = await verifyAssertion({ id, response: assertion }, passkey, signed)
  const wrong = { ...assertion, signature: assertion.signature.replace(/^(.{20})./, '$1_') }
  await expect(verifyAssertion({ id, response: wrong }, passkey, signed)).rejects.toThrow(RefusedResponse)
  return said
}

it.for(vectors.filter(({ name }) => !refused.test(name)))('accepts: $name', async (vector) => {
  expect(await verified(vector)).toMatchObject({ signCount: 0 })
})

it.for(vectors.filter(({ name }) => refused.test(name)))('refuses: $name', async (vector) => {
  await expect(verified(vector)).rejects.toThrow(RefusedResponse)
})
