import { describe, expect } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { validUser } from '../support/app.js'
import { auditRecords } from '../support/audit.js'

interface Line {
  audit?: string
  msg?: string
  [field: string]: unknown
}

const it = apiTest.extend('lines', ({ usher }) => () => {
  const lines = usher.logged().split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as Line)
})

const warnTest = it.extend('settings', { scope: 'file' }, { LOG_LEVEL: 'warn' })
const silentTest = it.extend('settings', { scope: 'file' }, { LOG_LEVEL: 'silent' })

warnTest('audit records are written at LOG_LEVEL=warn', async ({ usher, database, lines }) => {
  usher.forgetLog()
  const { id } = await database.signedUp()
  expect(lines()).toMatchObject([{ level: 30, audit: 'user.created', userId: id, databaseId: database.id }])
})

silentTest('audit records are not written at LOG_LEVEL=silent', async ({ usher, database }) => {
  usher.forgetLog()
  await database.signedUp()
  expect(usher.logged()).toBe('')
})

describe('failed logins', () => {
  it('the audit record of an unknown email contains a pseudonym, the same for the same email', async ({
    usher,
    database,
    lines,
  }) => {
    usher.forgetLog()
    for (const email of ['nobody@example.com', 'Nobody@example.com', 'noone@example.com']) {
      await database.login({ email, password: 'wrong password' })
    }
    const failed = lines().filter(({ audit }) => audit === 'login.failed')
    const [first, second, third] = failed.map(({ account }) => account)
    expect(first).toMatch(/^[\w-]{16}$/)
    expect(second).toBe(first)
    expect(third).not.toBe(first)
    expect(failed.map(({ userId }) => userId)).toEqual([undefined, undefined, undefined])
  })

  it('the audit record of a failed login of a user contains only the user id', async ({
    usher,
    database,
    lines,
  }) => {
    const { email } = validUser()
    const { id } = await database.signedUp({ email })
    usher.forgetLog()
    await database.login({ email, password: 'wrong password' })
    const [failed] = lines().filter(({ audit }) => audit === 'login.failed')
    expect(failed).toMatchObject({ userId: id })
    expect(failed).not.toHaveProperty('account')
  })
})

it('each change by a user has an audit record, and requests that change nothing have none', async ({
  usher,
  database,
}) => {
  const user = validUser()
  const headers = { 'idempotency-key': 'once' }
  const signUp = { method: 'POST' as const, url: database.users, payload: user, headers }
  usher.forgetLog()
  const { id, token } = (await usher.send(signUp)).json()
  await usher.send(signUp)
  await database.login(user)
  const opened = (
    await usher.send({
      method: 'POST',
      url: `${database.users}/me/session`,
      headers: { authorization: `Bearer ${token.jwt}` },
    })
  ).json()
  for (let count = 0; count < 2; count++) await database.endSession(opened.refreshToken.value)
  const ofUser = { databaseId: database.id, userId: id }
  const sessionId = opened.refreshToken.value.slice(0, 36)
  expect(auditRecords(usher)).toMatchObject([
    { audit: 'user.created', ...ofUser },
    { audit: 'user.created_again', ...ofUser },
    { audit: 'login.succeeded', ...ofUser },
    { audit: 'session.opened', ...ofUser, sessionId },
    { audit: 'session.ended', ...ofUser, sessionId },
  ])
})

it('at most ten audit records of rejected tokens are written per minute', async ({
  usher,
  database,
  lines,
  clock,
}) => {
  const { token } = await database.signedUp()
  const rejected = () => lines().filter(({ audit }) => audit === 'token.rejected')
  clock.now += 60_000
  usher.forgetLog()
  for (let count = 0; count < 12; count++) await database.me(`${token.jwt}x`)
  expect(rejected()).toHaveLength(10)
  expect(rejected()[0]).toMatchObject({ level: 30, databaseId: database.id, code: 'token_invalid' })
  expect(rejected()[0]).not.toHaveProperty('suppressed')
  clock.now += 3_600_000
  await database.me(token.jwt)
  expect(rejected().at(-1)).toMatchObject({ code: 'token_expired', suppressed: 2 })
  await database.me(token.jwt)
  expect(rejected().at(-1)).not.toHaveProperty('suppressed')
})

describe('request log', () => {
  it('the request log contains the route and not the path', async ({ usher, database, lines }) => {
    usher.forgetLog()
    await database.me('no token')
    await usher.send({ method: 'GET', url: '/problems/email_taken?ada@example.com' })
    const logged = lines().filter(({ msg }) => msg === 'answered')
    expect(logged.map(({ route }) => route)).toEqual([
      '/workspaces/:workspaceSlug/databases/:databaseName/users/me',
      '/problems/:code',
    ])
    for (const line of logged) expect(line).not.toHaveProperty('path')
  })

  it.for([
    ['/unknown/path?email=ada@example.com', '/unknown/path'],
    ['/users/ada@example.com/tokens', '/users/[redacted]/tokens'],
    ['/users/ada%40example.com', '/users/[redacted]'],
    ['/users/ada%2540example.com', '/users/[redacted]'],
    ['/a@b/%2525252540/%25%2540c/%2525', '/[redacted]/[redacted]/[redacted]/%2525'],
  ] as const)(
    'the request log contains the path of %s, which has no route, as %s',
    async ([url, path], { usher, lines }) => {
      usher.forgetLog()
      await usher.send({ method: 'GET', url })
      const [logged] = lines().filter(({ msg }) => msg === 'answered')
      expect(logged).toMatchObject({ path, status: 404 })
      expect(logged).not.toHaveProperty('route')
    },
  )
})
