import { hostname, userInfo } from 'node:os'
import { describe, expect } from 'vitest'
import { operatorName } from '../../server/cli/io/host.js'
import { password, type TestDatabase } from '../support/app.js'
import { dummyHashesOf } from '../support/lines.js'
import { it as operatorTest } from '../support/operator.js'
import { revokeTokens } from '../support/operator-changes.js'
import { totpAt } from '../support/second-factor.js'

const email = 'ada@example.com'

/** What a user shows who has never been changed. */
const unchanged = {
  disabled: false,
  emailVerified: false,
  externalId: null,
  locale: null,
}

const it = operatorTest
  .extend('statusOfLogin', ({ database }) => async (body: object = { email, password }) => {
    return (await database.login(body)).statusCode
  })
  .extend(
    'statusOfMe',
    ({ database }) =>
      async (jwt: string) =>
        (await database.me(jwt)).statusCode,
  )
  /** Returns all fields of an audit record, so that a test fails if an email, password or token is added. */
  .extend('auditOf', ({ database }) => (event: string, userId: string) => [
    {
      level: 30,
      time: expect.any(Number),
      pid: process.pid,
      hostname: hostname(),
      operator: userInfo().username,
      audit: event,
      msg: event,
      databaseId: database.id,
      userId,
    },
  ])

describe('user create', () => {
  it('user create reads the password from stdin, and the user can log in', async ({
    usher,
    database,
    statusOfLogin,
    auditOf,
  }) => {
    const { code, stdout, audited } = await usher.operator(
      `user create ${database.path} Ada@example.com --name Ada`,
      `${password}\n`,
    )
    const shown = await usher.json(`user show ${database.path} ${email}`)
    expect(shown).toMatchObject({ email: 'Ada@example.com', preferredName: 'Ada', memberships: [] })
    expect({ code, stdout }).toEqual({ code: 0, stdout: `Created user ${shown.id}.\n` })
    expect(audited).toEqual(auditOf('user.created', shown.id))
    expect(await statusOfLogin()).toBe(200)
  })

  it('user create asks twice for the password on a terminal', async ({ usher, database, statusOfLogin }) => {
    const command = `user create ${database.path} ${email}`
    expect(await usher.outcome(command, [password, `${password}s`])).toMatch(
      /usher: the passwords do not match\. Nothing was changed\n$/,
    )
    const { stdout, stderr } = await usher.operator(command, [password, password])
    expect(stderr).toMatch(/^New password: \nRepeat password: \n/)
    expect(stdout + stderr).not.toContain(password)
    expect(await statusOfLogin()).toBe(200)
  })

  it('user create --no-password creates a user who logs in with no password before one is set', async ({
    usher,
    database,
    statusOfLogin,
  }) => {
    const created = await usher.json(`user create ${database.path} ${email} --no-password`)
    expect(created).toMatchObject({ id: expect.any(String), email, preferredName: null, ...unchanged })
    expect([await statusOfLogin(), await statusOfLogin({ email, password: 'A'.repeat(22) })]).toEqual([
      401, 401,
    ])
    await usher.json(`user set-password ${database.path} ${email}`, password)
    usher.clock.now = Date.now()
    expect(await statusOfLogin()).toBe(200)
  })

  it('user create --tenant adds the user to the tenant', async ({ usher, database }) => {
    const { id: tenantId } = await usher.json(`tenant create ${database.path} Engines`)
    const create = `user create ${database.path} ${email} --no-password --json --tenant`
    const { stdout, audited } = await usher.operator(`${create} ${tenantId}`)
    const { id: userId, createdAt } = JSON.parse(stdout)
    expect(audited).toMatchObject([
      { audit: 'user.created', userId },
      { audit: 'tenant.user_added', databaseId: database.id, tenantId, userId },
    ])
    expect((await usher.json(`user show ${database.path} ${userId}`)).memberships).toEqual([
      { id: tenantId, name: 'Engines', role: 'member', joinedAt: createdAt },
    ])
    const { path } = await usher.newDatabase()
    expect(await usher.outcome(`user create ${path} ${email} --no-password --tenant ${tenantId}`)).toBe(
      `3 usher: tenant ${tenantId} does not exist in ${path}\n`,
    )
    expect(await usher.rows(`user list ${path}`)).toEqual([])
  })

  it.for([
    ['a common password', email, 'password1', '2 usher: password must not be a common password'],
    ['an empty password', email, '', '2 usher: password must not be blank'],
    ['a taken address', 'GRACE@example.com', password, '4 usher: user GRACE@example.com already exists in'],
  ] as const)('user create rejects %s', async ([, address, input, line], { usher, database }) => {
    await database.signedUp({ email: 'grace@example.com' })
    expect(await usher.outcome(`user create ${database.path} ${address}`, input)).toContain(line)
    expect(await usher.rows(`user list ${database.path}`)).toHaveLength(1)
  })
})

it('user list returns pages in order of sign-up', async ({ usher, database }) => {
  const ids: string[] = []
  for (const _ of 'abc') ids.push((await database.signedUp()).id)
  const first = await usher.rows(`user list ${database.path} --limit 2`)
  const second = await usher.rows(`user list ${database.path} --limit 2 --after ${ids[1]}`)
  expect([...first, ...second].map(({ id }) => id)).toEqual(ids)
  expect(second).toEqual([
    {
      id: ids[2],
      email: expect.stringContaining('@'),
      preferredName: null,
      ...unchanged,
      createdAt: new Date(usher.clock.now).toISOString(),
    },
  ])
  const { stdout } = await usher.operator(`user list ${database.path} --limit 2`)
  expect(stdout.split('\n').slice(3)).toEqual([`Next page: --after ${ids[1]}`, ''])
  expect(stdout).toMatch(/^ID {36}STATE {3}EMAIL\n[0-9a-f-]{36} {2}active {2}\S+@example.com\n/)
})

it('user list --tenant lists the users of one tenant', async ({ usher, database }) => {
  const { id, tenants } = await database.signedUp({ newTenant: 'Engines' })
  await database.signedUp({ newTenant: 'Others' })
  expect(await usher.rows(`user list ${database.path} --tenant ${tenants[0]}`)).toMatchObject([{ id }])
  expect(await usher.outcome(`user list ${database.path} --tenant ${id}`)).toBe(
    `3 usher: tenant ${id} does not exist in ${database.path}\n`,
  )
})

it('user list prints a message if there are no users', async ({ usher, database }) => {
  expect((await usher.operator(`user list ${database.path}`)).stdout).toBe('No users.\n')
})

describe('user show', () => {
  it('user show finds a user by id or email and shows tenants and failed logins, but no hash', async ({
    usher,
    database,
    statusOfLogin,
  }) => {
    const { id, tenants } = await database.signedUp({ email, preferredName: 'Ada', newTenant: 'Engines' })
    await statusOfLogin({ email, password: 'wrong password' })
    const shown = await usher.json(`user show ${database.path} ADA@example.com`)
    const now = new Date(usher.clock.now).toISOString()
    expect(shown).toEqual({
      id,
      email,
      preferredName: 'Ada',
      ...unchanged,
      createdAt: now,
      metadata: null,
      privateMetadata: null,
      throttledUntil: null,
      sessions: 0,
      lastLoginOn: null,
      memberships: [{ id: tenants[0], name: 'Engines', role: 'owner', joinedAt: now }],
      hasPassword: true,
      failedLogins: { count: 1, lastAt: now },
    })
    expect(await usher.json(`user show ${database.path} ${id}`)).toEqual(shown)
  })

  it('user show replaces control characters in names', async ({ usher, database }) => {
    await database.signedUp({ email, preferredName: 'A\u001b[2Jda', newTenant: 'T\u202e\u009b2J' })
    const { stdout } = await usher.operator(`user show ${database.path} ${email}`)
    expect(stdout).toContain('preferred name  A\uFFFD[2Jda\n')
    expect(stdout).toContain('T\uFFFD\uFFFD2J\n')
  })
})

it('user disable rejects logins and tokens, and user enable accepts logins again', async ({
  usher,
  database,
  statusOfLogin,
  statusOfMe,
  auditOf,
}) => {
  const { id, token } = await database.signedUp({ email })
  const disabled = await usher.operator(`user disable ${database.path} ${email}`)
  expect(disabled).toMatchObject({
    code: 0,
    stdout: `Disabled user ${id}. Logins and tokens are rejected.\n`,
    audited: auditOf('user.disabled', id),
  })
  expect([await statusOfLogin(), await statusOfMe(token.jwt)]).toEqual([401, 401])
  expect(await usher.json(`user disable ${database.path} ${id}`)).toMatchObject({ disabled: true })
  expect((await usher.operator(`user list ${database.path}`)).stdout).toBe(
    `ID${' '.repeat(36)}STATE     EMAIL\n${id}  disabled  ${email}\n`,
  )
  const enabled = await usher.operator(`user enable ${database.path} ${id}`)
  expect(enabled).toMatchObject({
    stdout: `Enabled user ${id}. Logins are accepted. Earlier tokens stay rejected.\n`,
    audited: auditOf('user.enabled', id),
  })
  expect([await statusOfLogin(), await statusOfMe(token.jwt)]).toEqual([200, 401])
})

it('user revoke-tokens rejects earlier tokens and accepts later ones', async ({
  usher,
  database,
  statusOfMe,
  auditOf,
}) => {
  const { id, token } = await database.signedUp({ email })
  const { audited } = await usher.operator(`user revoke-tokens ${database.path} ${email}`)
  expect(audited).toEqual(auditOf('user.tokens_revoked', id))
  expect(await statusOfMe(token.jwt)).toBe(401)
  usher.clock.now = Date.now()
  const { token: fresh } = (await database.login({ email, password })).json()
  expect(await statusOfMe(fresh.jwt)).toBe(200)
})

it('user factors lists second factors, and user remove-factors removes them', async ({
  usher,
  database,
  statusOfLogin,
  auditOf,
}) => {
  const { id, token } = await database.signedUp({ email })
  const { challenge, secret } = (await database.as(token.jwt, 'POST', 'me/factors/totp', { password })).json()
  const body = { challenge, totp: totpAt(secret, usher.clock.now), name: 'Phone' }
  const added = await database.as(token.jwt, 'POST', 'me/factors/totp/confirm', body)
  const { factor } = added.json()
  const shown = await usher.operator(`user factors ${database.path} ${email}`)
  expect(shown.stdout).toBe(
    `${factor.id}  Phone, added at ${factor.createdAt}, last used never\nrecovery codes                        8\n`,
  )
  for (const [kind, name] of [
    ['totp', 'authenticator app'],
    ['passkey', 'passkey'],
  ] as const) {
    const of = { where: { databaseId_id: { databaseId: database.id, id: factor.id } } }
    await usher.store.prisma.factor.update({
      ...of,
      data: {
        kind,
        name: null,
        ...(kind === 'passkey' && {
          credentialId: new Uint8Array([1]),
          userHandle: new Uint8Array([1]),
          domain: 'localhost',
          isSynced: false,
        }),
      },
    })
    expect((await usher.operator(`user factors ${database.path} ${email}`)).stdout).toContain(
      `${factor.id}  ${name}, added at`,
    )
    await usher.store.prisma.factor.update({ ...of, data: { kind: 'totp' } })
  }
  expect(await statusOfLogin()).toBe(401)
  const { stdout, audited } = await usher.operator(`user remove-factors ${database.path} ${email}`)
  expect(stdout).toBe(`Removed the second factors of user ${id}.\n`)
  expect(audited).toEqual(auditOf('user.factor_removed', id))
  expect(await statusOfLogin()).toBe(200)
  expect(await usher.json(`user factors ${database.path} ${id}`)).toEqual({ factors: [], recoveryCodes: 0 })
})

it('user unlock lets a throttled user log in immediately', async ({
  usher,
  database,
  statusOfLogin,
  auditOf,
}) => {
  const { id } = await database.signedUp({ email })
  for (const _ of 'guesses') await statusOfLogin({ email, password: 'wrong password' })
  expect(await statusOfLogin()).toBe(429)
  expect((await usher.json(`user show ${database.path} ${id}`)).failedLogins.count).toBeGreaterThan(4)
  const { audited } = await usher.operator(`user unlock ${database.path} ${email}`)
  expect(audited).toEqual(auditOf('user.unlocked', id))
  expect(await statusOfLogin()).toBe(200)
})

describe('user set-password', () => {
  const command = (database: TestDatabase) => `user set-password ${database.path} ${email}`
  const next = 'another long password'

  it('user set-password reads stdin and invalidates the old password and earlier tokens', async ({
    usher,
    database,
    statusOfLogin,
    statusOfMe,
    auditOf,
  }) => {
    const { id, token } = await database.signedUp({ email })
    const set = await usher.operator(command(database), `${next}\n`)
    expect(set).toMatchObject({
      code: 0,
      stdout: `Set the password of user ${id} and revoked existing tokens.\n`,
      audited: auditOf('user.password_set', id),
    })
    expect(await statusOfMe(token.jwt)).toBe(401)
    expect([await statusOfLogin(), await statusOfLogin({ email, password: next })]).toEqual([401, 200])
  })

  it('user set-password asks twice on a terminal without showing the input', async ({
    usher,
    database,
    statusOfLogin,
  }) => {
    await database.signedUp({ email })
    const { code, stdout, stderr } = await usher.operator(command(database), [next, next])
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^New password: \nRepeat password: \n\[[\d:.]+\] INFO: user\.password_set \{.*\}\n$/,
    )
    expect(stdout + stderr).not.toContain(next)
    expect(await statusOfLogin({ email, password: next })).toBe(200)
  })

  it.for([
    [
      'two different passwords',
      [next, `${next}s`],
      /^1 .*usher: the passwords do not match\. Nothing was changed\n$/s,
    ],
    ['an interrupt', ['\u0003'], /^1 .*usher: cancelled\. Nothing was changed\n$/s],
    ['a short password', 'seven..', /^2 usher: password must have at least 8 characters\n$/],
    ['a common password', 'password1\n', /^2 usher: password must not be a common password\n$/],
    ['the email address', email, /^2 usher: password must not be the email address or its first part\n$/],
    ['a password with NUL', `${next}\0`, /^2 usher: password must be Unicode text without NUL\n$/],
    ['an empty password', '', /^2 usher: password must not be blank\n$/],
  ] as const)(
    'user set-password rejects %s and changes nothing',
    async ([, input, line], { usher, database, statusOfLogin, statusOfMe }) => {
      const { token } = await database.signedUp({ email })
      expect(await usher.outcome(command(database), input)).toMatch(line)
      expect([await statusOfLogin(), await statusOfMe(token.jwt)]).toEqual([200, 200])
    },
  )

  it('user set-password does not accept the password as an argument', async ({ usher, database }) => {
    expect(await usher.outcome(`${command(database)} hunter2hunter2`)).toMatch(/^2 usher: too many arguments/)
  })

  it('user set-password uses the configured cost and stores a dummy hash with its parameters', async ({
    usher,
    database,
  }) => {
    const { id } = await database.signedUp({ email })
    await usher.operator(command(database), next, { ARGON2_PASSES: '3' })
    const where = { databaseId_id: { databaseId: database.id, id } }
    const { passwordHash } = await usher.store.prisma.user.findUniqueOrThrow({ where })
    expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=8,t=3,p=1\$/)
    expect(await dummyHashesOf(usher.store, database.id)).toContainEqual(
      expect.stringContaining('$m=8,t=3,p=1$'),
    )
  })
})

it('user delete deletes all rows of a user except the tenant', async ({
  usher,
  database,
  statusOfLogin,
  statusOfMe,
  auditOf,
}) => {
  const { id, token, tenants } = await database.signedUp({ email, newTenant: 'Engines' })
  const headers = { 'idempotency-key': 'once' }
  const body = { email: 'grace@example.com', password }
  await usher.send({ method: 'POST', url: database.users, payload: body, headers })
  const signUps = () => usher.store.prisma.idempotencyKey.count({ where: { databaseId: database.id } })
  expect(await signUps()).toBe(1)
  await statusOfLogin({ email, password: 'wrong password' })

  const { audited, stdout } = await usher.operator(`user delete ${database.path} ${email} --yes`)
  expect(stdout).toBe(`Deleted user ${id}.\n`)
  expect(audited).toEqual(auditOf('user.deleted', id))
  await usher.operator(`user delete ${database.path} grace@example.com --yes`)
  const where = { databaseId: database.id }
  expect(await usher.store.prisma.membership.count({ where })).toBe(0)
  expect(await usher.store.prisma.loginFailures.count({ where })).toBe(0)
  expect(await signUps()).toBe(0)
  expect(await usher.rows(`tenant list ${database.path}`)).toMatchObject([{ id: tenants[0], users: 0 }])

  expect([await statusOfLogin(), await statusOfMe(token.jwt)]).toEqual([401, 401])
  expect((await database.signedUp({ email })).id).not.toBe(id)
})

it('user delete asks for the email address on a terminal', async ({ usher, database, statusOfLogin }) => {
  const { id } = await database.signedUp({ email })
  const command = `user delete ${database.path} ${id}`
  expect(await usher.outcome(command, [id])).toMatch(
    /^1 .*Type ada@example\.com to delete this user permanently: .*usher: the name does not match\. Nothing was changed\n$/s,
  )
  expect(await usher.outcome(command, ['\u0003'])).toMatch(/usher: cancelled\. Nothing was changed\n$/)
  expect(await statusOfLogin()).toBe(200)
  expect(await usher.operator(command, [email])).toMatchObject({ code: 0, stdout: `Deleted user ${id}.\n` })
  expect(await statusOfLogin()).toBe(401)
})

it('user delete requires a terminal or --yes', async ({ usher, database, statusOfLogin }) => {
  await database.signedUp({ email })
  expect(await usher.outcome(`user delete ${database.path} ${email}`)).toBe(
    `2 usher: deleting user ${email} without a terminal requires --yes\n`,
  )
  expect(await statusOfLogin()).toBe(200)
})

it('audit records are readable on a terminal, and JSON lines elsewhere', async ({ usher, database }) => {
  const { id } = await database.signedUp({ email })
  const command = `user disable ${database.path} ${email}`
  const onTerminal = await usher.operator(command, [])
  expect(onTerminal.stdout).toBe(`Disabled user ${id}. Logins and tokens are rejected.\n`)
  const fields = {
    operator: userInfo().username,
    audit: 'user.disabled',
    databaseId: database.id,
    userId: id,
  }
  expect(onTerminal.stderr).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: user\.disabled \{.*\}\n$/)
  expect(JSON.parse(onTerminal.stderr.replace(/^.*?\{/, '{'))).toEqual(fields)
  const enabled = await usher.operator(`user enable ${database.path} ${email}`)
  expect(enabled.audited).toEqual([expect.objectContaining({ ...fields, audit: 'user.enabled' })])
})

it('user delete does not find a user of another database', async ({ usher, database, statusOfLogin }) => {
  const { id } = await database.signedUp({ email })
  const other = await usher.newDatabase()
  for (const name of [id, email]) {
    expect(await usher.outcome(`user delete ${other.path} ${name} --yes`)).toBe(
      `3 usher: user ${name} does not exist in ${other.path}\n`,
    )
  }
  expect(await statusOfLogin()).toBe(200)
})

it('user list --json escapes control characters of clients', async ({ usher, database }) => {
  const preferredName = 'T\u202e\u009b2J\u{e0001}'
  const { id } = await database.signedUp({ email, preferredName })
  const { stdout } = await usher.operator(`user list ${database.path} --json`)
  expect(stdout).toContain('T\\u202e\\u009b2J\\udb40\\udc01')
  expect(JSON.parse(stdout)).toMatchObject({ users: [{ id, preferredName }] })
})

it('user revoke-tokens rejects tokens of a server whose clock is ahead of the operator’s', async ({
  usher,
  database,
  statusOfMe,
}) => {
  const { id, token } = await database.signedUp({ email })
  const behind = new Date(Date.now() - 60_000)
  await revokeTokens({ store: usher.store, now: behind }, database, id)
  expect(await statusOfMe(token.jwt)).toBe(401)
})

it('audit records contain the user id of an operator without a user name', () => {
  const nameless = () => {
    throw new Error('uv_os_get_passwd returned ENOENT')
  }
  expect(operatorName(nameless)).toBe(String(process.getuid?.()))
})
