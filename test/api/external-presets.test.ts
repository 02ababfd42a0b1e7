import { exportPKCS8, exportSPKI, generateKeyPair, importSPKI, jwtVerify } from 'jose'
import { expect } from 'vitest'
import type { PresetName } from '../../server/domain/connections/presets.js'
import { clientId, it } from '../support/external.js'
import { ada, type Person } from '../support/lying-provider.js'

const tenant = '72f988bf-86f1-41af-91ab-2d7cd011db47'
const personal = '9188040d-6c67-4c5b-b112-36a304b66dad'
const verified = { email_verified: true }
const ofMicrosoft = { tid: tenant, oid: 'oid-1' }

it.for<[PresetName, string, object, 'authoritative' | 'verified' | null]>([
  ['google', 'ada@gmail.com', verified, 'authoritative'],
  ['google', 'Ada@GoogleMail.com', verified, 'authoritative'],
  ['google', 'ada@gmail.com', { email_verified: false }, null],
  ['google', 'ada@acme.example', { ...verified, hd: 'acme.example' }, 'authoritative'],
  ['google', 'ada@acme.example', { ...verified, hd: 'other.example' }, 'verified'],
  ['google', 'ada@acme.example', { hd: 'acme.example' }, null],
  ['google', 'ada@acme.example', verified, 'verified'],
  ['google', 'ada@notgmail.com', verified, 'verified'],
  ['google', 'ada@gmail.com.evil.example', verified, 'verified'],
  [
    'apple',
    'x@privaterelay.appleid.com',
    { email_verified: 'true', is_private_email: 'true' },
    'authoritative',
  ],
  ['apple', 'ada@icloud.com', { email_verified: 'true' }, 'authoritative'],
  ['apple', 'ada@acme.example', { email_verified: 'true' }, 'verified'],
  ['apple', 'ada@icloud.com', { email_verified: 'false' }, null],
  ['microsoft', 'ada@acme.example', ofMicrosoft, null],
  ['microsoft', 'ada@acme.example', { ...ofMicrosoft, ...verified }, null],
  ['microsoft', 'ada@acme.example', { ...ofMicrosoft, xms_edov: true }, 'authoritative'],
  ['microsoft', 'ada@acme.example', { ...ofMicrosoft, xms_edov: '1' }, 'authoritative'],
  ['microsoft', 'ada@acme.example', { ...ofMicrosoft, xms_edov: 'false' }, null],
  ['microsoft', 'ada@acme.example', { ...ofMicrosoft, tid: personal, xms_edov: true }, 'verified'],
  ['microsoft', 'ada@outlook.com', { ...ofMicrosoft, tid: personal, xms_edov: 1 }, 'authoritative'],
  ['gitlab', 'ada@acme.example', verified, 'verified'],
  ['oidc', 'ada@gmail.com', verified, 'verified'],
])(
  '%s proves the address %s with %j: %s',
  async ([preset, email, flags, emailProof], { external, provider }) => {
    await external.add({ preset, issuer: provider.issuer, secret: null })
    if (preset === 'apple') await external.add({ preset, issuer: provider.issuer, ...(await appleKey()) })
    expect(await external.claims(provider, { sub: 'ada', email, ...flags })).toMatchObject({
      email,
      emailProof,
    })
  },
)

it('takes a verified address of a trusted provider as authoritative, and no other', async ({
  external,
  provider,
}) => {
  await external.add({ issuer: provider.issuer, options: { trustEmail: true } })
  expect(await external.claims(provider)).toMatchObject({ emailProof: 'authoritative' })
  const unverified = { ...ada, email_verified: 'false' }
  expect(await external.claims(provider, unverified)).toMatchObject({ emailProof: null })
})

/** Returns the secret and the options of a connection to Apple. */
async function appleKey() {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  return {
    secret: await exportPKCS8(privateKey),
    options: { teamId: 'TEAM123456', keyId: 'KEY1234567' },
    publicKey: await importSPKI(await exportSPKI(publicKey), 'ES256'),
  }
}

it('logs in at Apple: a posted form, a signed secret, and the name at the first login', async ({
  external,
  provider,
}) => {
  const { publicKey, ...key } = await appleKey()
  await external.add({ preset: 'apple', issuer: provider.issuer, ...key })
  const { url } = await external.started()
  expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
    response_mode: 'form_post',
    scope: 'openid email name',
  })
  const callback = provider.authorize(url, { sub: '001.a', email: 'ada@icloud.com', email_verified: 'true' })
  const user = { name: { firstName: 'Ada', lastName: 'Lovelace' }, email: 'eve@icloud.com' }
  callback.searchParams.set('user', JSON.stringify(user))
  const { response, result } = await external.postCallback(callback)
  expect([response.statusCode, Object.keys(result)]).toEqual([303, ['code']])
  const [attempt] = await external.attempts()
  expect(attempt?.claims).toMatchObject({
    subject: '001.a',
    email: 'ada@icloud.com',
    emailProof: 'authoritative',
    preferredName: 'Ada Lovelace',
  })
  const [{ form } = { form: new URLSearchParams() }] = provider.exchanges
  const { payload, protectedHeader } = await jwtVerify(form.get('client_secret') ?? '', publicKey, {
    issuer: 'TEAM123456',
    subject: clientId,
    audience: provider.issuer,
    maxTokenAge: 60,
  })
  expect([protectedHeader.kid, Number(payload.exp) - Number(payload.iat)]).toEqual(['KEY1234567', 300])
})

it.for([
  '',
  '{',
  'null',
  '[]',
  '{"name":"Ada"}',
  '{"name":{"firstName":{},"lastName":7}}',
  '{"__proto__":{"name":1}}',
])('reads no name from the field user %j of Apple', async (user, { external, provider }) => {
  await external.add({ preset: 'apple', issuer: provider.issuer, ...(await appleKey()) })
  const callback = provider.authorize((await external.started()).url)
  callback.searchParams.set('user', user)
  expect(Object.keys((await external.postCallback(callback)).result)).toEqual(['code'])
  expect((await external.attempts())[0]?.claims).toMatchObject({ subject: 'ada', preferredName: null })
})

it('returns provider_invalid if the key of Apple is none, or the provider does not accept the client', async ({
  external,
  provider,
}) => {
  await external.add({ preset: 'apple', issuer: provider.issuer, secret: 'no key' })
  expect(await external.claims(provider)).toEqual({ error: 'provider_invalid' })
})

/** A person whose profile GitHub returns. */
const octocat = (emails: object[]): Person => ({ sub: '583231', emails })

it('logs in at GitHub: the numeric id, and the primary address with its own flag', async ({
  external,
  provider,
}) => {
  await external.add({ preset: 'github', issuer: provider.issuer })
  const { url } = await external.started()
  expect(url.startsWith(`${provider.issuer}/login/oauth/authorize?`)).toBe(true)
  const parameters = Object.fromEntries(new URL(url).searchParams)
  expect(parameters).toMatchObject({ scope: 'read:user user:email', code_challenge_method: 'S256' })
  expect(parameters.nonce).toBeUndefined()
  const other = { email: 'verified@example.com', verified: true, primary: false }
  const primary = (verified: unknown) => ({ email: 'ada@example.com', verified, primary: true })
  expect(await external.claims(provider, octocat([other, primary(true)]))).toEqual({
    issuer: provider.issuer,
    subject: '583231',
    email: 'ada@example.com',
    emailProof: 'verified',
    preferredName: 'Ada',
    locale: null,
  })
  for (const flag of [false, 'false', undefined]) {
    const claims = await external.claims(provider, octocat([other, primary(flag)]))
    expect(claims).toMatchObject({ email: 'ada@example.com', emailProof: null })
  }
  expect(await external.claims(provider, octocat([other]))).toMatchObject({ email: null, emailProof: null })
  const { headers, form } = provider.exchanges[0] ?? { headers: {}, form: new URLSearchParams() }
  expect(headers).toMatchObject({ 'user-agent': 'Usher', accept: 'application/json' })
  expect([form.get('client_id'), form.get('client_secret')]).toEqual([clientId, 'client secret'])
})

it('logs in at a GitHub App without the permission for addresses as somebody who has none', async ({
  external,
  provider,
}) => {
  await external.add({ preset: 'github', issuer: provider.issuer })
  for (const status of [403, 404]) {
    provider.lies.answer = (path, response) => {
      const isOfAddresses = path === '/api/v3/user/emails'
      if (isOfAddresses)
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end('{"message":"Resource not accessible by integration"}')
      return isOfAddresses
    }
    const claims = await external.claims(provider, octocat([]))
    expect(claims).toMatchObject({ subject: '583231', email: null, emailProof: null })
  }
})

it.for([
  ['google', 'accounts.google.com'],
  ['apple', 'https://account.apple.com'],
] as const)('logs in at %s also with ID tokens of %s', async ([preset, iss], { external, provider }) => {
  await external.add({
    preset,
    issuer: provider.issuer,
    ...(preset === 'apple' && (await appleKey())),
  })
  provider.lies = { claims: { iss } }
  expect(await external.claims(provider)).toMatchObject({ issuer: provider.issuer, subject: 'ada' })
  provider.lies = { claims: { iss: `${iss}.evil.example` } }
  expect(await external.claims(provider)).toEqual({ error: 'provider_invalid' })
})

it('logs in at Apple also if its discovery document has the other issuer than its ID tokens', async ({
  external,
  provider,
}) => {
  await external.add({ preset: 'apple', issuer: provider.issuer, ...(await appleKey()) })
  provider.lies = { discovery: { issuer: 'https://account.apple.com' } }
  expect(await external.claims(provider)).toMatchObject({ issuer: provider.issuer, subject: 'ada' })
})

it('returns code_invalid for an error that GitHub reports with status 200', async ({
  external,
  provider,
}) => {
  await external.add({ preset: 'github', issuer: provider.issuer })
  const { url } = await external.started()
  const callback = provider.authorize(url, octocat([]))
  callback.searchParams.set('code', 'another')
  expect((await external.callback(callback)).result.error).toBe('code_invalid')
})

const common = (origin: string) => `${origin}/common/v2.0`

it('logs in at Microsoft with accounts of all tenants, each by its own issuer', async ({
  external,
  provider,
}) => {
  await external.add({ preset: 'microsoft', issuer: common(provider.origin) })
  const iss = (id: string) => `${provider.origin}/${id}/v2.0`
  const discovery = { issuer: iss('{tenantid}') }
  const login = (claims: object, person = {}) => {
    provider.lies = { discovery, claims: { ...claims } }
    return external.claims(provider, { ...ada, ...ofMicrosoft, ...person })
  }
  expect(await login({ iss: iss(tenant) })).toMatchObject({
    issuer: common(provider.origin),
    subject: `${tenant}.oid-1`,
    emailProof: null,
  })
  expect(await login({ iss: iss(personal) }, { tid: personal })).toMatchObject({
    subject: `${personal}.oid-1`,
  })
  const rejected = { error: 'provider_invalid' }
  expect(await login({ iss: iss(personal) })).toEqual(rejected)
  expect(await login({ iss: iss('{tenantid}') }, { tid: '{tenantid}' })).toEqual(rejected)
  expect(await login({ iss: iss('x/../y') }, { tid: 'x/../y' })).toEqual(rejected)
  expect(await login({ iss: iss(tenant), oid: null })).toEqual(rejected)
})

it('returns 503 if the tenants have another origin than the issuer of the connection', async ({
  external,
  provider,
}) => {
  await external.add({ preset: 'microsoft', issuer: common(provider.origin) })
  provider.lies = { discovery: { issuer: 'https://other.example.com/{tenantid}/v2.0' } }
  expect((await external.start()).statusCode).toBe(503)
})

it('accepts only accounts of the tenant that the issuer of the connection names', async ({
  external,
  provider,
}) => {
  await external.add({ preset: 'microsoft', issuer: provider.issuer })
  expect(await external.claims(provider, { ...ada, ...ofMicrosoft })).toMatchObject({
    issuer: provider.issuer,
  })
  provider.lies = { claims: { iss: `${provider.origin}/${tenant}/v2.0` } }
  expect(await external.claims(provider, { ...ada, ...ofMicrosoft })).toEqual({ error: 'provider_invalid' })
})

it('uses the scopes of the connection, and always openid', async ({ external, provider }) => {
  await external.add({ issuer: provider.issuer, options: { scopes: ['email', 'groups'] } })
  const { url } = await external.started()
  expect(new URL(url).searchParams.get('scope')).toBe('openid email groups')
})

it.for([
  [['client_secret_basic'], `Basic ${btoa(`${clientId}:client+secret%3A`)}`, null],
  [['client_secret_post', 'client_secret_basic'], undefined, 'client secret:'],
  [undefined, `Basic ${btoa(`${clientId}:client+secret%3A`)}`, null],
] as const)(
  'sends the secret as the provider %j supports it',
  async ([methods, header, inForm], { external, provider }) => {
    provider.lies = { discovery: { token_endpoint_auth_methods_supported: methods } }
    await external.add({ issuer: provider.issuer, secret: 'client secret:' })
    await external.claims(provider)
    const { headers, form } = provider.exchanges[0] ?? { headers: {}, form: new URLSearchParams() }
    expect([headers.authorization, form.get('client_secret')]).toEqual([header, inForm])
  },
)

it('sends no secret for a public client', async ({ external, provider }) => {
  await external.add({ issuer: provider.issuer, secret: null })
  expect(await external.claims(provider)).toMatchObject({ subject: 'ada' })
  expect(provider.exchanges[0]?.form.has('client_secret')).toBe(false)
})
