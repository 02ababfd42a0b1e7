import fc from 'fast-check'
import { expect } from 'vitest'
import { RefusedResponse, readClientData } from '../../server/domain/webauthn/signed-data.js'
import { verifyAssertion, verifyRegistration } from '../../server/domain/webauthn/verify.js'
import { createAuthenticator } from '../support/authenticator.js'
import { it } from '../support/passkeys.js'

const rp = { domain: 'app.example.com', origins: ['https://app.example.com'] }

type Response = Record<string, string>

/** Changes one byte, cuts the end off, or doubles a part. */
const mutation = fc.record({
  field: fc.nat(),
  at: fc.nat(),
  kind: fc.constantFrom('flip', 'cut', 'double', 'replace'),
  bits: fc.integer({ min: 1, max: 255 }),
  bytes: fc.uint8Array({ maxLength: 40 }),
})
type Mutation = typeof mutation extends fc.Arbitrary<infer Value> ? Value : never

function mutated(response: Response, { field, at, kind, bits, bytes }: Mutation, fields: readonly string[]) {
  const name = fields[field % fields.length] as string
  const former = Buffer.from(response[name] ?? '', 'base64url')
  const place = at % Math.max(1, former.length)
  const next = {
    flip: () => Buffer.from(former.map((byte, index) => (index === place ? byte ^ bits : byte))),
    cut: () => former.subarray(0, place),
    double: () => Buffer.concat([former.subarray(0, place), former]),
    replace: () => Buffer.concat([former.subarray(0, place), bytes, former.subarray(place + bytes.length)]),
  }[kind]()
  return { isSame: next.equals(former), response: { ...response, [name]: next.toString('base64url') } }
}

it('refuses every mutation of a login, and fails in no other way', async ({ passkeys }) => {
  // Of ECDSA, one signature has several encodings.
  const authenticator = createAuthenticator({ algorithm: 'EdDSA' })
  const creation = {
    rp: { id: rp.domain },
    user: { id: 'AA' },
    challenge: 'AA',
  } as Parameters<typeof authenticator.create>[0]
  const registration = authenticator.create(creation)
  const created = readClientData(registration.response.clientDataJSON, { ...rp, type: 'webauthn.create' })
  const passkey = await verifyRegistration(registration, { rp, clientData: created })
  const { response, id } = authenticator.get({ ...(await passkeys.options()), rpId: rp.domain })
  const fields = ['clientDataJSON', 'authenticatorData', 'signature']
  const login = async (tried: Response) => {
    const clientData = readClientData(tried.clientDataJSON ?? '', { ...rp, type: 'webauthn.get' })
    const signed = { rp, clientData, needsVerification: true }
    return verifyAssertion({ id, response: tried as never }, passkey, signed)
  }
  await login(response as never)
  const refused = fc.asyncProperty(mutation, async (each) => {
    const { isSame, response: tried } = mutated(response as never, each, fields)
    fc.pre(!isSame)
    await expect(login(tried)).rejects.toThrow(RefusedResponse)
  })
  await fc.assert(refused, { numRuns: 1500 })
})

it('refuses or reads every mutation of a new passkey, and fails in no other way', async () => {
  const options = { rp: { id: rp.domain }, user: { id: 'AA' }, challenge: 'AA' } as never
  const { id, response } = createAuthenticator().create(options)
  const add = async (tried: Response) => {
    const clientData = readClientData(tried.clientDataJSON ?? '', { ...rp, type: 'webauthn.create' })
    return verifyRegistration({ id, response: tried as never }, { rp, clientData })
  }
  let refusals = 0
  const isHandled = fc.asyncProperty(mutation, async (each) => {
    const { response: tried } = mutated(response as never, each, ['attestationObject'])
    await add(tried).catch((error) => {
      expect(error).toBeInstanceOf(RefusedResponse)
      refusals++
    })
  })
  await fc.assert(isHandled, { numRuns: 1500 })
  expect(refusals).toBeGreaterThan(500)
})

it('answers any JSON with a problem of the contract', async ({ passkeys }) => {
  const { authenticator } = await passkeys.owner()
  const options = await passkeys.options()
  const text = fc.oneof(fc.string(), fc.base64String(), fc.constant('AA'), fc.constant(options.challenge))
  const junk = fc.oneof(text, fc.anything({ maxDepth: 1 }), fc.constant(undefined))
  const fields = fc.dictionary(
    fc.constantFrom('clientDataJSON', 'authenticatorData', 'signature', 'userHandle', 'attestationObject'),
    junk,
    { maxKeys: 2 },
  )
  let client = 0
  const isProblem = fc.asyncProperty(junk, fields, fc.boolean(), async (id, wrong, keepsId) => {
    const right = authenticator.get(options)
    const passkey = {
      ...right,
      ...(!keepsId && { id }),
      response: { ...right.response, signature: 'AA', ...wrong },
    }
    const address = `198.51.${Math.floor(client / 250)}.${client++ % 250}`
    const response = await passkeys.post('login/passkey/confirm', { passkey }, address)
    expect([400, 401]).toContain(response.statusCode)
  })
  await fc.assert(isProblem, { numRuns: 300 })
})
