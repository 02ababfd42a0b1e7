import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { expect, vi } from 'vitest'
import { validUser } from '../support/app.js'
import { auditRecords } from '../support/audit.js'
import { outcome } from '../support/codes.js'
import { createApiKey, setDatabase } from '../support/operator-changes.js'
import { type Receiver, startReceiver } from '../support/receiver.js'
import { it as ssoTest } from '../support/sso-login.js'

const answerWith =
  (body: unknown, status = 200) =>
  (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const allow = answerWith({ allow: true })

/** `it` with a database whose hook is a receiver. */
const it = ssoTest.extend('hook', async ({ sso: _, app, usher }, { onCleanup }) => {
  const receiver = await startReceiver()
  onCleanup(receiver.close)
  receiver.answer = allow
  const set = async (signUpHookUrl: string, signUpHookFailure: 'refuse' | 'allow' = 'refuse') => {
    const { signUpHookSecret } = await setDatabase(usher.store, app, { signUpHookUrl, signUpHookFailure })
    usher.clock.cacheAhead += 6_000
    return String(signUpHookSecret)
  }
  const secret = await set(receiver.url)
  return Object.assign(receiver, { secret, set })
})

const asked = ({ requests }: Receiver) => requests.map(({ event }) => event.data)

it('is asked before each way to sign up, with a signature, and adds what it answers', async ({
  hook,
  app,
  usher,
  mail,
  provider,
  sso,
}) => {
  hook.answer = answerWith({ allow: true, privateMetadata: { risk: 'low' } })
  const user = validUser({ preferredName: 'Ada', locale: 'de', newTenant: 'Engines' })
  const { id } = await app.signedUp(user)
  const { email, password } = user
  const none = { connection: null, preferredName: null, locale: null, invitedTo: null, newTenant: null }
  const data = { ...none, databaseId: app.id, way: 'password', isTest: false }
  expect(asked(hook)).toEqual([{ ...data, email, preferredName: 'Ada', locale: 'de', newTenant: 'Engines' }])
  const [{ body, headers } = expect.fail()] = hook.requests
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  expect(headers['webhook-signature']).toBe(
    new Webhook(hook.secret).sign(String(headers['webhook-id']), at, body),
  )
  expect(body).not.toContain(password)
  expect((await app.login({ email, password })).statusCode).toBe(200)

  const { code, verifier } = await mail.start('grace@example.com')
  const byMail = await mail.finish({ code, verifier })
  const byProvider = await provider.finish(await provider.returned({ subject: 'b', email: 'b@example.com' }))
  const acme = await sso.tenant()
  const bySso = await acme.logIn()
  const ids = [byMail, byProvider, bySso].map((response) => response.json().id)
  expect(asked(hook).slice(1)).toEqual([
    { ...data, way: 'mail', email: 'grace@example.com' },
    { ...data, way: 'external', email: 'b@example.com', connection: 'acme', preferredName: 'Ada' },
    {
      ...{ ...data, way: 'sso', email: 'ada@acme.example', connection: acme.connectionId },
      ...{ preferredName: 'Ada', invitedTo: acme.id },
    },
  ])
  const rows = await usher.store.prisma.user.findMany({ where: { id: { in: [id, ...ids] } } })
  expect(rows.map(({ privateMetadata }) => privateMetadata)).toEqual(Array(4).fill({ risk: 'low' }))
  // Logins of users who exist ask nothing.
  await acme.logIn()
  await app.login({ email, password })
  expect(hook.requests).toHaveLength(4)
})

it('refuses each way to sign up with a reason that stays text, and stores nothing', async ({
  hook,
  app,
  usher,
  mail,
  provider,
  sso,
}) => {
  const reason = '<img src=x onerror=alert(1)> Only addresses of acme.example.'
  hook.answer = answerWith({ allow: false, reason })
  const { code, verifier } = await mail.start('grace@example.com')
  const returned = await provider.returned({ subject: 'b', email: 'b@example.com' })
  const acme = await sso.tenant()
  const finishing = await acme.returned()
  const count = () => usher.store.prisma.user.count({ where: { databaseId: app.id } })
  const before = await count()
  usher.forgetLog()
  for (const response of [
    await app.createUser(validUser()),
    await mail.finish({ code, verifier }),
    await provider.finish(returned),
    await provider.finish(finishing),
  ]) {
    expect(outcome(response)).toEqual([403, 'sign_up_refused'])
    expect(response.json().reason).toBe(reason)
    expect(response.headers['content-type']).toContain('application/problem+json')
  }
  expect(await count()).toBe(before)
  expect(auditRecords(usher).filter(({ audit }) => audit === 'sign_up.refused')).toHaveLength(4)
  // The refusal has used up neither code nor login.
  hook.answer = allow
  expect((await mail.finish({ code, verifier })).statusCode).toBe(200)
  expect((await provider.finish(returned)).statusCode).toBe(200)
})

it('is asked after what refuses a sign-up anyway, and not again for an Idempotency-Key', async ({
  hook,
  app,
  usher,
  mail,
}) => {
  const post = (payload: object, key: string) =>
    usher.send({ method: 'POST', url: app.users, payload, headers: { 'idempotency-key': key } })
  const user = validUser()
  const [first, second] = [await post(user, 'one'), await post(user, 'one')]
  expect(second.json().id).toBe(first.json().id)
  expect(hook.requests).toHaveLength(1)
  await app.createUser(validUser({ password: 'short' }))
  await app.createUser(validUser({ invitationCode: 'nonsense' }))
  const { code, verifier } = await mail.start('grace@example.com')
  await mail.finish({ code, verifier, mayCreate: false })
  await setDatabase(usher.store, app, { signUp: false })
  usher.clock.cacheAhead += 6_000
  await app.createUser(validUser())
  expect(hook.requests).toHaveLength(1)
})

it('is not asked about a user whom a backend adds', async ({ hook, app, usher, store }) => {
  const operation = { store, now: new Date(usher.clock.now) }
  const settings = { name: 'backend', scopes: ['users:write' as const], expiresInSeconds: 3600 }
  const { key } = await createApiKey(operation, app, settings)
  const url = `${app.users.replace(/users$/, 'management')}/users`
  const headers = { authorization: `Bearer ${key}` }
  const added = await usher.send({ method: 'POST', url, headers, payload: { email: 'ada@example.com' } })
  expect([added.statusCode, hook.requests]).toEqual([201, []])
})

const slowly = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 50)
  response.on('close', () => clearInterval(timer))
}

it.for<[string, (response: ServerResponse) => unknown, string]>([
  ['an error', answerWith({ allow: true }, 500), 'status 500, not 200'],
  ['another success', answerWith({ allow: true }, 201), 'status 201, not 200'],
  ['a redirect', (response) => response.writeHead(302, { location: '/' }).end(), 'status 302, not 200'],
  ['no JSON', (response) => response.end('yes'), 'the answer is not JSON'],
  ['a text for a truth value', answerWith({ allow: 'true' }), 'the answer is wrong: allow'],
  ['nothing', answerWith({}), 'the answer is wrong: allow'],
  ['a long reason', answerWith({ allow: false, reason: 'x'.repeat(201) }), 'the answer is wrong: reason'],
  ['10 MB', (response) => response.end(Buffer.alloc(10_000_000, ' ')), 'the answer has more than 64 KiB'],
  ['bytes that drip', slowly, 'no answer within 2 s'],
  ['a cut connection', (response) => response.destroy(), 'ECONNRESET'],
])(
  '%s is no answer: the sign-up is refused until there is one',
  async ([, answer, reason], { hook, app, usher }) => {
    hook.answer = answer
    usher.forgetLog()
    const user = validUser()
    const response = await app.createUser(user)
    expect([...outcome(response), response.headers['retry-after']]).toEqual([503, 'unavailable', '1'])
    const [record] = auditRecords(usher).filter(({ audit }) => audit === 'sign_up.hook_failed')
    expect(record).toMatchObject({ reason: expect.stringContaining(reason), isAllowed: false })
    await hook.set(hook.url, 'allow')
    expect((await app.createUser(user)).statusCode).toBe(201)
  },
)

it('is not asked for 10 s after 5 failures, unless its URL changes', async ({ hook, app, usher }) => {
  hook.answer = answerWith({}, 500)
  for (let count = 0; count < 7; count++) await app.createUser(validUser())
  expect(hook.requests).toHaveLength(5)
  hook.answer = allow
  usher.clock.now += 10_001
  expect((await app.createUser(validUser())).statusCode).toBe(201)
  hook.answer = answerWith({}, 500)
  for (let count = 0; count < 7; count++) await app.createUser(validUser())
  await hook.set(`${hook.url}?2`)
  hook.answer = allow
  expect((await app.createUser(validUser())).statusCode).toBe(201)
})

it('has at most 16 requests at the same time, and more sign-ups wait for none of them', async ({
  hook,
  app,
  usher,
}) => {
  await hook.set(hook.url, 'allow')
  const waiting: ServerResponse[] = []
  hook.answer = (response) => waiting.push(response)
  const first = Array.from({ length: 16 }, () => app.createUser(validUser()))
  await expect.poll(() => waiting.length).toBe(16)
  // Otherwise a flood would be a way past the hook.
  expect(outcome(await app.createUser(validUser()))).toEqual([503, 'unavailable'])
  const other = await usher.newDatabase()
  expect((await other.createUser(validUser())).statusCode).toBe(201)
  for (const response of waiting) allow(response)
  expect((await Promise.all(first)).map(({ statusCode }) => statusCode)).toEqual(Array(16).fill(201))
})

it('refuses a login whose account is deleted meanwhile, because the hook was not asked', async ({
  hook,
  app,
  usher,
  provider,
}) => {
  const email = 'ada@example.com'
  const { id } = await app.signedUp({ email })
  const returned = await provider.returned({ email })
  const { store } = usher.context
  const { transaction, query: read } = store
  const watched = vi.spyOn(store, 'transaction').mockImplementation(async (databaseId, work) => {
    await read('DELETE FROM usher."user" WHERE database_id = $1::uuid AND id = $2::uuid', [app.id, id])
    return transaction(databaseId, work)
  })
  expect(outcome(await provider.finish(returned))).toEqual([503, 'unavailable'])
  expect(await usher.store.prisma.user.count({ where: { databaseId: app.id } })).toBe(0)
  watched.mockRestore()
  hook.requests.splice(0)
  expect((await provider.finish(returned)).json().isNewUser).toBe(true)
  expect(hook.requests).toHaveLength(1)
})

it('has another secret with each URL, and none without one', async ({ hook, app, usher }) => {
  const row = () => usher.store.prisma.database.findUniqueOrThrow({ where: { id: app.id } })
  const former = await row()
  expect(await hook.set(`${hook.url}?key=1`)).not.toBe(hook.secret)
  expect((await row()).sealedSignUpHookSecret).not.toEqual(former.sealedSignUpHookSecret)
  await setDatabase(usher.store, app, { signUpHookUrl: null })
  expect(await row()).toMatchObject({ signUpHookUrl: null, sealedSignUpHookSecret: null })
})
