import { createHmac } from 'node:crypto'
import type { Session } from '@usher/contract'
import { describe, expect } from 'vitest'
import type { Caller } from '../../server/domain/caller.js'
import { openSecret } from '../../server/domain/keys/master-key.js'
import { ClientDisconnected } from '../../server/domain/problem.js'
import { refreshSession } from '../../server/domain/sessions/refresh-session.js'
import { it } from '../support/api.js'
import { password, start, startApp, type TestApi, type TestDatabase } from '../support/app.js'
import { setDatabase } from '../support/operator-changes.js'
import { passTimeSinceRefresh } from './passing-time.js'

const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
const day = 86_400_000

interface Response {
  statusCode: number
  json(): { code: string }
}
const outcome = (response: Response) => [response.statusCode, response.json().code]
const ended = [401, 'session_ended']

describe('openSession', () => {
  it('returns a new access token of the session, and a refresh token', async ({ database }) => {
    const user = await database.signedUp({ newTenant: 'Engines' })
    const response = await database.openSession(user.token.jwt)
    const session: Session = response.json()
    expect([response.statusCode, response.headers['cache-control']]).toEqual([201, 'no-store'])
    expect(session).toEqual({
      id: user.id,
      tenants: user.tenants,
      token: { jwt: expect.any(String), maxAge: 3600, type: 'ACCESS_TOKEN' },
      refreshToken: {
        value: expect.stringMatching(/^[0-9a-f-]{36}\.0\.[\w-]{43}$/),
        maxAge: (14 * day) / 1000,
        type: 'REFRESH_TOKEN',
      },
    })
    const sid = session.refreshToken.value.slice(0, 36)
    expect(claimsOf(session.token.jwt)).toMatchObject({ sid, auth_time: start / 1000, sub: user.id })
    expect(claimsOf(user.token.jwt)).not.toHaveProperty('sid')
    expect((await database.me(session.token.jwt)).statusCode).toBe(200)
    expect((await database.me(user.token.jwt)).statusCode).toBe(200)
  })

  it('openSession opens one session per login, also for 10 concurrent requests', async ({ database }) => {
    const { token } = await database.signedUp()
    const responses = await Promise.all(Array.from({ length: 10 }, () => database.openSession(token.jwt)))
    const statuses = responses.map(({ statusCode }) => statusCode).sort()
    expect(statuses).toEqual([201, ...Array(9).fill(409)])
    await database.endSession(
      responses.find(({ statusCode }) => statusCode === 201)?.json().refreshToken.value,
    )
    expect(outcome(await database.openSession(token.jwt))).toEqual([401, 'token_invalid'])
  })

  it('openSession rejects a token issued more than 120 seconds ago', async ({ database, clock }) => {
    const [one, other] = [await database.signedUp(), await database.signedUp()]
    clock.now = start + 120_000
    expect((await database.openSession(one.token.jwt)).statusCode).toBe(201)
    clock.now = start + 120_001
    expect(outcome(await database.openSession(other.token.jwt))).toEqual([409, 'session_not_opened'])
  })

  it('openSession rejects the token of a session', async ({ database }) => {
    const session = await database.opened()
    expect(outcome(await database.openSession(session.token.jwt))).toEqual([409, 'session_not_opened'])
    const { token } = (await database.refresh(session.refreshToken.value)).json()
    expect(outcome(await database.openSession(token.jwt))).toEqual([409, 'session_not_opened'])
  })

  it('openSession rejects an expired token', async ({ database, clock }) => {
    const { token } = await database.signedUp()
    clock.now = start + 3_600_000
    expect(outcome(await database.openSession(token.jwt))).toEqual([401, 'token_expired'])
  })
})

describe('refreshSession', () => {
  it('returns a new access token and the next refresh token', async ({ database, clock }) => {
    const email = 'refreshed@example.com'
    const session = await database.opened({ email })
    const sid = session.refreshToken.value.slice(0, 36)
    clock.now = start + day
    const response = await database.refresh(session.refreshToken.value)
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store'])
    const next: Session = response.json()
    expect(next).toMatchObject({ id: session.id, tenants: [], refreshToken: { maxAge: (14 * day) / 1000 } })
    expect(next.refreshToken.value).toMatch(`${sid}.1.`)
    expect(claimsOf(next.token.jwt)).toMatchObject({
      sid,
      auth_time: start / 1000,
      iat: (start + day) / 1000,
    })
    expect((await database.me(next.token.jwt)).json().email).toBe(email)
  })

  it('refreshSession returns the same refresh token to 30 concurrent requests', async ({ database }) => {
    const { refreshToken } = await database.opened()
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => database.refresh(refreshToken.value)),
    )
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    const values = new Set<string>(responses.map((response) => response.json().refreshToken.value))
    expect(values.size).toBe(1)
    const jwts = new Set(responses.map((response) => response.json().token.jwt))
    expect(jwts.size).toBe(30)
    const [value = ''] = values
    expect((await database.refresh(value)).statusCode).toBe(200)
  })

  const parties = ['the thief refreshes first', 'the owner refreshes first']
  it.for(parties)(
    'gives both the same token if %s and the other 29 s later, and ends the session when they have used it twice',
    async (_name, { usher, database }) => {
      const session = await database.opened()
      const stolen = session.refreshToken.value
      const first = (await database.refresh(stolen)).json()
      await passTimeSinceRefresh(usher.store, database.id, session, 29_000)
      const second = (await database.refresh(stolen)).json()
      expect(second.refreshToken.value).toBe(first.refreshToken.value)
      const third = (await database.refresh(first.refreshToken.value)).json()
      await passTimeSinceRefresh(usher.store, database.id, session, 31_000)
      const fourth = (await database.refresh(second.refreshToken.value)).json()
      expect((await database.refresh(third.refreshToken.value)).statusCode).toBe(200)
      expect(outcome(await database.refresh(fourth.refreshToken.value))).toEqual(ended)
      for (const { token } of [first, second, third, fourth])
        expect(outcome(await database.me(token.jwt))).toEqual([401, 'token_invalid'])
    },
  )

  it.for(parties)(
    'gives each a token of its own if %s and the other 31 s later, and ends the session when the second one is used',
    async (_name, { usher, database }) => {
      const session = await database.opened()
      const stolen = session.refreshToken.value
      const first = (await database.refresh(stolen)).json()
      await passTimeSinceRefresh(usher.store, database.id, session, 31_000)
      const second = (await database.refresh(stolen)).json()
      expect(second.refreshToken.value).not.toBe(first.refreshToken.value)
      expect((await database.refresh(stolen)).json().refreshToken.value).toBe(second.refreshToken.value)
      // The older one of the two, which leaves a number out.
      const next = (await database.refresh(first.refreshToken.value)).json()
      expect(usher.logged()).not.toContain(
        `"session.reuse_detected","databaseId":"${database.id}","userId":"${session.id}"`,
      )
      expect(outcome(await database.refresh(second.refreshToken.value))).toEqual(ended)
      await expect
        .poll(usher.logged)
        .toContain(`"audit":"session.reuse_detected","databaseId":"${database.id}","userId":"${session.id}"`)
      expect(outcome(await database.refresh(next.refreshToken.value))).toEqual(ended)
      for (const { token } of [session, first, second, next])
        expect(outcome(await database.me(token.jwt))).toEqual([401, 'token_invalid'])
    },
  )

  it('ends the session at the use of the lost refresh token, after the one that replaced it was used', async ({
    usher,
    database,
  }) => {
    const session = await database.opened()
    const { value } = session.refreshToken
    const lost = (await database.refresh(value)).json()
    await passTimeSinceRefresh(usher.store, database.id, session, 31_000)
    const next = (await database.refresh(value)).json()
    const later = (await database.refresh(next.refreshToken.value)).json()
    expect(outcome(await database.refresh(lost.refreshToken.value))).toEqual(ended)
    expect(outcome(await database.refresh(later.refreshToken.value))).toEqual(ended)
  })

  it('refreshes with the former refresh token days after each of three lost responses', async ({
    usher,
    database,
    clock,
  }) => {
    const session = await database.opened()
    let { value } = session.refreshToken
    for (const generation of [1, 2]) {
      const received = []
      for (const attempt of [1, 2, 3, 4]) {
        const response = await database.refresh(value)
        expect([generation, attempt, response.statusCode]).toEqual([generation, attempt, 200])
        received.push(response.json().refreshToken.value)
        clock.now += day
        await passTimeSinceRefresh(usher.store, database.id, session, day)
      }
      expect(new Set(received).size).toBe(4)
      value = received.at(-1)
    }
    expect((await database.refresh(value)).statusCode).toBe(200)
    expect(usher.logged()).not.toContain(
      `"session.reuse_detected","databaseId":"${database.id}","userId":"${session.id}"`,
    )
  })

  it('returns one refresh token to 10 concurrent requests with the former one, 31 s after its use', async ({
    usher,
    database,
  }) => {
    const session = await database.opened()
    const { value } = session.refreshToken
    const lost = (await database.refresh(value)).json().refreshToken.value
    await passTimeSinceRefresh(usher.store, database.id, session, 31_000)
    const responses = await Promise.all(Array.from({ length: 10 }, () => database.refresh(value)))
    const values = new Set(responses.map((response) => response.json().refreshToken?.value))
    expect([values.size, values.has(lost)]).toEqual([1, false])
    const [next] = values
    expect((await database.refresh(next)).statusCode).toBe(200)
  })

  it('ends the session for one of two concurrent uses of two successors', async ({ usher, database }) => {
    const session = await database.opened()
    const { value } = session.refreshToken
    const first = (await database.refresh(value)).json().refreshToken.value
    await passTimeSinceRefresh(usher.store, database.id, session, 31_000)
    const second = (await database.refresh(value)).json().refreshToken.value
    const responses = await Promise.all([first, second].map((each) => database.refresh(each)))
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401])
    const [open] = responses.filter(({ statusCode }) => statusCode === 200)
    expect(outcome(await database.refresh(open?.json().refreshToken.value))).toEqual(ended)
  })

  it('does not end the session for a late refresh whose client has disconnected', async ({
    usher,
    database,
  }) => {
    const session = await database.opened()
    const { value } = session.refreshToken
    const used = (await database.refresh(value)).json()
    const next = (await database.refresh(used.refreshToken.value)).json()
    // As that of a server that was frozen, while the client sent the token to another server.
    const caller = { isDisconnected: () => true } as Caller
    const request = {
      database: await usher.context.findDatabase(database),
      body: { refreshToken: value },
      caller,
      actor: { kind: 'visitor' },
    } as const
    await expect(refreshSession(usher.context, request)).rejects.toThrow(ClientDisconnected)
    expect((await database.refresh(next.refreshToken.value)).statusCode).toBe(200)
  })

  it('refreshSession rejects a forged token, and writes nothing', async ({ usher, database, clock }) => {
    const other = await usher.newDatabase('standard', database.workspaceSlug)
    const { refreshToken, token } = await database.opened()
    const [id, , mac = ''] = refreshToken.value.split('.')
    const rows = () => usher.store.prisma.session.findMany({ where: { databaseId: database.id } })
    const before = await rows()
    clock.now = start + 60_000
    const forged = [
      'x',
      token.jwt,
      `${id}.1.${mac}`,
      `${id}.00.${mac}`,
      `${id}.0.${mac.slice(1)}`,
      `${id}.0.${mac}=`,
      `${id}.0.${createHmac('sha256', '').update(`${id}.0`).digest('base64url')}`,
      `${id?.toUpperCase()}.0.${mac}`,
      `${crypto.randomUUID()}.0.${mac}`,
    ]
    for (const each of forged) expect(outcome(await database.refresh(each))).toEqual(ended)
    for (const each of forged) expect((await database.endSession(each)).statusCode).toBe(204)
    expect(outcome(await other.refresh(refreshToken.value))).toEqual(ended)
    expect((await other.endSession(refreshToken.value)).statusCode).toBe(204)
    expect(await rows()).toEqual(before)
    expect((await database.refresh(refreshToken.value)).statusCode).toBe(200)
  })

  it('refreshSession rejects a refresh token that is newer than the session, as after a restore', async ({
    usher,
    database,
  }) => {
    const { refreshToken } = await database.opened()
    const next = (await database.refresh(refreshToken.value)).json().refreshToken.value
    const [id = ''] = next.split('.')
    const where = { databaseId_id: { databaseId: database.id, id } }
    await usher.store.prisma.session.update({ where, data: { refreshes: 0 } })
    expect(outcome(await database.refresh(next))).toEqual(ended)
    expect((await database.refresh(refreshToken.value)).statusCode).toBe(200)
  })

  it('ends a session 14 days after its last refresh', async ({ database, clock }) => {
    const { refreshToken } = await database.opened()
    clock.now = start + 14 * day - 1
    const next = (await database.refresh(refreshToken.value)).json()
    clock.now += 14 * day
    expect(outcome(await database.refresh(next.refreshToken.value))).toEqual(ended)
  })

  it('ends a session 90 days after its login, and rejects its tokens then', async ({ database, clock }) => {
    let session = await database.opened()
    for (let days = 10; days < 90; days += 10) {
      clock.now = start + days * day
      session = (await database.refresh(session.refreshToken.value)).json()
    }
    expect(session.refreshToken.maxAge).toBe((10 * day) / 1000)
    clock.now = start + 90 * day - 1000
    session = (await database.refresh(session.refreshToken.value)).json()
    expect(session.refreshToken.maxAge).toBe(1)
    expect((await database.me(session.token.jwt)).statusCode).toBe(200)
    clock.now = start + 90 * day
    expect(outcome(await database.me(session.token.jwt))).toEqual([401, 'token_expired'])
    expect(outcome(await database.refresh(session.refreshToken.value))).toEqual(ended)
  })

  it('returns a field error if the refresh token is missing', async ({ usher, database }) => {
    for (const operation of ['refresh', 'end']) {
      const url = `${database.users}/session/${operation}`
      const response = await usher.send({ method: 'POST', url, payload: {} })
      expect([response.statusCode, response.json().errors]).toEqual([
        400,
        [{ path: 'refreshToken', code: 'required', detail: 'is required' }],
      ])
    }
  })

  it('refreshSession returns a challenge for a password if the session has ended', async ({ database }) => {
    const { headers } = await database.refresh('x')
    expect(headers['www-authenticate']).toBe(`Password realm="${database.path}"`)
  })
})

describe('the end of sessions', () => {
  it('when a session ends, the token of its login is rejected, also after the session would have expired', async ({
    usher,
    clock,
  }) => {
    const database = await usher.newDatabase()
    await setDatabase(usher.store, database, { tokenMaxAge: 86_400 })
    const email = 'logged-out@example.com'
    const signedUp = await database.signedUp({ email })
    const other = (await database.login({ email, password })).json()
    // From here on, sessions end earlier than these tokens.
    await setDatabase(usher.store, database, { sessionIdle: 300 })
    clock.cacheAhead += 6_000
    const session: Session = (await database.openSession(signedUp.token.jwt)).json()
    expect((await database.me(signedUp.token.jwt)).statusCode).toBe(200)
    await database.endSession(session.refreshToken.value)
    for (const [time, rejected] of [
      [start, [signedUp, session]],
      [start + day - 1000, [signedUp]],
    ] as const) {
      clock.now = time
      await database.opened()
      for (const { token } of rejected) {
        expect(outcome(await database.me(token.jwt))).toEqual([401, 'token_invalid'])
        const body = { preferredName: 'Renamed' }
        expect(outcome(await database.as(token.jwt, 'PATCH', 'me', body))).toEqual([401, 'token_invalid'])
      }
      expect((await database.me(other.token.jwt)).statusCode).toBe(200)
    }
  })

  it('looks for the session of a login for five minutes, and later only if the login has opened one', async ({
    store,
  }) => {
    const wanted: unknown[] = []
    const query: typeof store.query = (text, values, milliseconds) => {
      if (text.includes('joined."tenantId"')) wanted.push(values[2])
      return store.query(text, values, milliseconds)
    }
    const usher = await startApp({ ...store, query })
    const database = await usher.newDatabase()
    const email = 'five-minutes@example.com'
    const [one, other] = [await database.signedUp({ email }), await database.signedUp()]
    const session: Session = (await database.openSession(one.token.jwt)).json()
    const reads = async (jwt: string) => {
      wanted.splice(0)
      expect((await database.me(jwt)).statusCode).toBe(200)
      return wanted.map((sessionId) => sessionId !== null)
    }
    for (const [seconds, expected] of [
      [300, [true]],
      [301, [true]],
      [302, [false]],
    ] as const) {
      usher.clock.now = start + seconds * 1000
      expect(await reads(other.token.jwt)).toEqual(expected)
      expect(await reads(one.token.jwt)).toEqual([true])
    }
    await database.endSession(session.refreshToken.value)
    expect(outcome(await database.me(one.token.jwt))).toEqual([401, 'token_invalid'])
    await usher.close()
  })

  it('reads the users of tokens of logins and of sessions in one statement', async ({ database }) => {
    const users = await Promise.all(Array.from({ length: 6 }, () => database.signedUp()))
    const sessions: Session[] = await Promise.all(
      users.slice(2).map(async ({ token }) => (await database.openSession(token.jwt)).json()),
    )
    for (const { refreshToken } of sessions.slice(2)) await database.endSession(refreshToken.value)
    const tokens = [...users, ...sessions].map(({ token }) => token.jwt)
    const responses = await Promise.all(tokens.map((token) => database.me(token)))
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([
      ...[200, 200, 200, 200, 401, 401],
      ...[200, 200, 401, 401],
    ])
  })

  it('a session that is missing after a restore has ended', async ({ usher, database }) => {
    const { token, refreshToken } = await database.opened()
    expect((await database.me(token.jwt)).statusCode).toBe(200)
    await usher.store.prisma.session.deleteMany({ where: { databaseId: database.id } })
    expect((await database.me(token.jwt)).json().code).toBe('token_invalid')
    expect((await database.refresh(refreshToken.value)).json().code).toBe('session_ended')
  })

  it('endSession ends one session of a user, and succeeds again', async ({ database }) => {
    const email = 'two-devices@example.com'
    const [phone, laptop] = [await database.opened({ email }), await openedByLogin(database, email)]
    for (let round = 0; round < 2; round++)
      expect(await database.endSession(phone.refreshToken.value)).toMatchObject({ statusCode: 204, body: '' })
    expect(outcome(await database.refresh(phone.refreshToken.value))).toEqual(ended)
    expect(outcome(await database.me(phone.token.jwt))).toEqual([401, 'token_invalid'])
    expect((await database.me(laptop.token.jwt)).statusCode).toBe(200)
    expect((await database.refresh(laptop.refreshToken.value)).statusCode).toBe(200)
  })

  it('endAllSessions ends every session and token of the user, and of no other', async ({
    database,
    clock,
  }) => {
    const email = 'everywhere@example.com'
    clock.now = Date.now()
    const signedUp = await database.signedUp({ email })
    const [phone, laptop] = [await openedByLogin(database, email), await openedByLogin(database, email)]
    const other = await database.opened()
    expect(await database.as(phone.token.jwt, 'DELETE', 'me/sessions')).toMatchObject({
      statusCode: 204,
      body: '',
    })
    for (const { token } of [signedUp, phone, laptop])
      expect((await database.me(token.jwt)).statusCode).toBe(401)
    for (const { refreshToken } of [phone, laptop])
      expect(outcome(await database.refresh(refreshToken.value))).toEqual(ended)
    clock.now += 1000
    const again = await openedByLogin(database, email)
    expect((await database.me(again.token.jwt)).statusCode).toBe(200)
    expect((await database.refresh(other.refreshToken.value)).statusCode).toBe(200)
  })

  it.for(['a refreshed token', 'the token of its login'])(
    'endOtherSessions with %s keeps the session of the token and ends every other login of the user',
    async (which, { database, clock }) => {
      clock.now = Date.now()
      const email = `${crypto.randomUUID()}@example.com`
      const bystander = await database.opened()
      const withoutSession = await database.signedUp({ email })
      const laptop = await openedByLogin(database, email)
      const login = (await database.login({ email, password })).json()
      const phone: Session = (await database.openSession(login.token.jwt)).json()
      const { token } = which === 'a refreshed token' ? phone : login
      const response = await database.as(token.jwt, 'DELETE', 'me/sessions/others')
      expect(response).toMatchObject({ statusCode: 204, body: '' })
      for (const { token } of [withoutSession, laptop, login, phone])
        expect(outcome(await database.me(token.jwt))).toEqual([401, 'token_invalid'])
      expect(outcome(await database.refresh(laptop.refreshToken.value))).toEqual(ended)
      const refreshed = (await database.refresh(phone.refreshToken.value)).json()
      const { sessions } = (await database.as(refreshed.token.jwt, 'GET', 'me/sessions')).json()
      expect(sessions).toMatchObject([{ id: phone.refreshToken.value.slice(0, 36), current: true }])
      expect((await database.me(bystander.token.jwt)).statusCode).toBe(200)
    },
  )

  it('endOtherSessions changes nothing with a token that belongs to no session', async ({ database }) => {
    const email = 'without-session@example.com'
    const { token } = await database.signedUp({ email })
    const laptop = await openedByLogin(database, email)
    const response = await database.as(token.jwt, 'DELETE', 'me/sessions/others')
    expect(outcome(response)).toEqual([409, 'session_required'])
    for (const { token: each } of [{ token }, laptop])
      expect((await database.me(each.jwt)).statusCode).toBe(200)
  })

  it('endOtherSessions and the end of its session at the same time leave no session', async ({
    database,
  }) => {
    const { token, refreshToken } = await database.opened()
    const [others] = await Promise.all([
      database.as(token.jwt, 'DELETE', 'me/sessions/others'),
      database.endSession(refreshToken.value),
    ])
    expect([204, 401]).toContain(others?.statusCode)
    expect(outcome(await database.refresh(refreshToken.value))).toEqual(ended)
  })

  it('endAllSessions ends a session that was opened in the second of a new password', async ({
    database,
    clock,
  }) => {
    clock.now = Math.ceil(Date.now() / 1000) * 1000 + 4_100
    const { token } = await database.signedUp()
    const body = { password, newPassword: 'four random common words' }
    const changed = (await database.as(token.jwt, 'PUT', 'me/password', body)).json()
    const session: Session = (await database.openSession(changed.token.jwt)).json()
    clock.now += 400
    expect((await database.as(changed.token.jwt, 'DELETE', 'me/sessions')).statusCode).toBe(204)
    clock.now += 2_000
    for (const { token } of [changed, session])
      expect(outcome(await database.me(token.jwt))).toEqual([401, 'token_invalid'])
    expect(outcome(await database.refresh(session.refreshToken.value))).toEqual(ended)
  })

  it('30 concurrent endAllSessions requests revoke once, so that the next token is valid immediately', async ({
    database,
    clock,
  }) => {
    clock.now = Date.now()
    const email = 'thirty@example.com'
    const { token } = await database.signedUp({ email })
    const requests = Array.from({ length: 30 }, () => database.as(token.jwt, 'DELETE', 'me/sessions'))
    expect((await Promise.all(requests)).map(({ statusCode }) => statusCode)).toContain(204)
    const now = Date.now()
    const next = (await database.login({ email, password })).json()
    expect(claimsOf(next.token.jwt).iat).toBeLessThanOrEqual(Math.ceil(now / 1000))
  })

  it('deleting a user ends its sessions', async ({ usher, database }) => {
    const session = await database.opened()
    await usher.store.prisma.user.deleteMany({ where: { databaseId: database.id, id: session.id } })
    expect(outcome(await database.refresh(session.refreshToken.value))).toEqual(ended)
    expect((await database.endSession(session.refreshToken.value)).statusCode).toBe(204)
  })

  it('listSessions returns the sessions of the user that have not ended', async ({
    usher,
    database,
    clock,
  }) => {
    const email = 'list@example.com'
    const before = new Date()
    const [phone, laptop] = [await database.opened({ email }), await openedByLogin(database, email)]
    await database.opened()
    clock.now = start + 60_000
    const { token } = (await database.refresh(laptop.refreshToken.value)).json()
    const list = async (jwt: string) => (await database.as(jwt, 'GET', 'me/sessions')).json().sessions
    const storedTime = async ({ refreshToken }: Session) => {
      const where = { databaseId: database.id, id: idOf(refreshToken.value) }
      const { refreshedAt } = await usher.store.prisma.session.findFirstOrThrow({ where })
      expect(before <= refreshedAt && refreshedAt <= new Date()).toBe(true)
      return refreshedAt
    }
    const [refreshedAt, opened] = [await storedTime(laptop), await storedTime(phone)]
    const shown = ({ refreshToken }: Session, refreshedAt: Date, current: boolean) => ({
      id: refreshToken.value.slice(0, 36),
      createdAt: new Date(start).toISOString(),
      refreshedAt: refreshedAt.toISOString(),
      label: null,
      current,
    })
    expect(await list(token.jwt)).toEqual([shown(laptop, refreshedAt, true), shown(phone, opened, false)])
    await database.endSession(phone.refreshToken.value)
    expect(await list(token.jwt)).toEqual([shown(laptop, refreshedAt, true)])
    const { token: ofLogin } = await database.login({ email, password }).then((each) => each.json())
    expect(await list(ofLogin.jwt)).toEqual([shown(laptop, refreshedAt, false)])
  })
})

describe('settings of a database', () => {
  it('a database with session-max 0 has no sessions', async ({ usher }) => {
    const database = await usher.newDatabase()
    await setDatabase(usher.store, database, { sessionMax: 0 })
    const { token } = await database.signedUp()
    expect(outcome(await database.openSession(token.jwt))).toEqual([409, 'session_not_opened'])
  })

  it('session-idle and session-max limit the refresh token', async ({ usher, clock }) => {
    const database = await usher.newDatabase()
    await setDatabase(usher.store, database, { sessionIdle: 600, sessionMax: 900 })
    const { refreshToken } = await database.opened()
    expect(refreshToken.maxAge).toBe(600)
    clock.now = start + 500_000
    const next = (await database.refresh(refreshToken.value)).json().refreshToken
    expect(next.maxAge).toBe(400)
    clock.now = start + 900_000
    expect(outcome(await database.refresh(next.value))).toEqual(ended)
  })

  it('a token does not outlive its session, nor that of a login the session that it can open', async ({
    usher,
    clock,
  }) => {
    const database = await usher.newDatabase()
    await setDatabase(usher.store, database, { sessionIdle: 600, sessionMax: 900 })
    const login = await database.signedUp()
    clock.now = start + 100_000
    const session = (await database.openSession(login.token.jwt)).json()
    expect([login.token.maxAge, session.token.maxAge]).toEqual([600, 600])
    clock.now = start + 600_000
    const { token } = (await database.refresh(session.refreshToken.value)).json()
    expect(token.maxAge).toBe(300)
    expect((await database.me(token.jwt)).statusCode).toBe(200)
    expect(outcome(await database.me(login.token.jwt))).toEqual([401, 'token_expired'])
    clock.now = start + 900_000
    expect(outcome(await database.me(token.jwt))).toEqual([401, 'token_expired'])
  })

  it('a lowered session-idle does not end tokens that were issued before', async ({ usher, clock }) => {
    const database = await usher.newDatabase()
    const session = await database.opened()
    await setDatabase(usher.store, database, { sessionIdle: 300 })
    clock.cacheAhead += 6_000
    const { refreshToken } = (await database.refresh(session.refreshToken.value)).json()
    clock.now = start + 400_000
    expect(outcome(await database.refresh(refreshToken.value))).toEqual(ended)
    expect((await database.me(session.token.jwt)).statusCode).toBe(200)
  })
})

describe('the number of sessions of a user', () => {
  /** Adds open sessions, with the minutes since the last use of each. Returns their ids. */
  async function used(usher: TestApi, { id: databaseId }: TestDatabase, userId: string, minutes: number[]) {
    const where = { databaseId, id: userId }
    const { generation } = await usher.store.prisma.user.findFirstOrThrow({ where })
    const data = minutes.map((each) => ({
      databaseId,
      id: crypto.randomUUID(),
      userId,
      generation,
      createdAt: new Date(start),
      provenAt: new Date(start),
      refreshedAt: new Date(Date.now() - each * 60_000),
      expiresAt: new Date(start + day),
    }))
    await usher.store.prisma.session.createMany({ data })
    return data.map(({ id }) => id)
  }

  const openIds = async (usher: TestApi, { id: databaseId }: TestDatabase, userId: string) => {
    const rows = await usher.store.prisma.session.findMany({ where: { databaseId, userId, endedAt: null } })
    return rows.map(({ id }) => id).sort()
  }

  it('a user has at most 100 sessions: opening another one ends the longest unused one', async ({
    usher,
  }) => {
    const database = await usher.newDatabase()
    const email = 'many-devices@example.com'
    const { id: userId, token, refreshToken } = await database.opened({ email })
    await database.opened()
    const sessionId = idOf(refreshToken.value)
    const unused = new Date(Date.now() - 3_600_000)
    const { session } = usher.store.prisma
    await session.updateMany({
      where: { databaseId: database.id, id: sessionId },
      data: { refreshedAt: unused },
    })
    const others = await used(usher, database, userId, Array(99).fill(59))
    usher.forgetLog()
    const newest = await openedByLogin(database, email)
    expect(await openIds(usher, database, userId)).toEqual(
      [idOf(newest.refreshToken.value), ...others].sort(),
    )
    expect(outcome(await database.me(token.jwt))).toEqual([401, 'token_invalid'])
    expect(outcome(await database.refresh(refreshToken.value))).toEqual(ended)
    const ids = `"databaseId":"${database.id}","userId":"${userId}","sessionId":"${sessionId}"`
    await expect.poll(usher.logged).toContain(`"audit":"session.ended",${ids}`)
    expect(await session.count({ where: { databaseId: database.id, endedAt: null } })).toBe(101)
  })

  it('a user has at most sessions-per-user sessions, and ended ones do not count', async ({ usher }) => {
    const database = await usher.newDatabase()
    await setDatabase(usher.store, database, { sessionsPerUser: 3 })
    const email = 'three-devices@example.com'
    const { id: userId } = await database.signedUp({ email })
    const [, , third, hasEnded, last] = await used(usher, database, userId, [5, 4, 3, 2, 1])
    const { session } = usher.store.prisma
    const where = { databaseId: database.id, id: hasEnded ?? '' }
    await session.updateMany({ where, data: { endedAt: new Date(start) } })
    const newest = await openedByLogin(database, email)
    const expected = [idOf(newest.refreshToken.value), third, last]
    expect(await openIds(usher, database, userId)).toEqual(expected.sort())
    const { token } = (await database.login({ email, password })).json()
    expect((await database.openSession(token.jwt)).statusCode).toBe(201)
    expect((await database.openSession(token.jwt)).statusCode).toBe(409)
    expect(await openIds(usher, database, userId)).toHaveLength(3)
    expect((await database.refresh(newest.refreshToken.value)).statusCode).toBe(200)
  })

  it('a user who logs in and ends all sessions again and again leaves no rows', async ({ usher, clock }) => {
    const database = await usher.newDatabase()
    await setDatabase(usher.store, database, { sessionsPerUser: 2 })
    clock.now = Date.now()
    const email = 'in-a-loop@example.com'
    const first = await database.opened({ email })
    let last = first
    for (let login = 0; login < 3; login++) {
      expect((await database.as(last.token.jwt, 'DELETE', 'me/sessions')).statusCode).toBe(204)
      clock.now += 1_000
      last = await openedByLogin(database, email)
    }
    const rows = await usher.store.prisma.session.findMany({ where: { databaseId: database.id } })
    expect(rows.map(({ id }) => id)).toEqual([idOf(last.refreshToken.value)])
    expect(outcome(await database.me(first.token.jwt))).toEqual([401, 'token_invalid'])
    expect(outcome(await database.refresh(first.refreshToken.value))).toEqual(ended)
    expect((await database.me(last.token.jwt)).statusCode).toBe(200)
  })

  it('the number of sessions of a user is exact even if 12 are opened at the same time', async ({
    usher,
  }) => {
    const database = await usher.newDatabase()
    await setDatabase(usher.store, database, { sessionsPerUser: 2 })
    const email = 'twelve-at-once@example.com'
    await database.signedUp({ email })
    const logins = await Promise.all(Array.from({ length: 12 }, () => database.login({ email, password })))
    const responses = await Promise.all(logins.map((login) => database.openSession(login.json().token.jwt)))
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(12).fill(201))
    const statuses = await Promise.all(responses.map((each) => database.me(each.json().token.jwt)))
    expect(statuses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(2)
    expect(
      await usher.store.prisma.session.count({ where: { databaseId: database.id, endedAt: null } }),
    ).toBe(2)
  })
})

it('a refresh token with the MAC of another purpose or secret is rejected', async ({ usher, database }) => {
  const { refreshToken } = await database.opened()
  const [id = ''] = refreshToken.value.split('.')
  const [row] = await usher.store.prisma.databaseSecret.findMany({ where: { databaseId: database.id } })
  if (!row) throw new Error('the database has no secret')
  const key = openSecret(usher.store, row)
  const tokenOf = (parts: unknown) =>
    `${id}.0.${createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url')}`
  expect(tokenOf(['refresh_token', id, 0])).toBe(refreshToken.value)
  expect(outcome(await database.refresh(tokenOf(['password_reset', id, 0])))).toEqual(ended)
})

/** Returns the id of the session of a refresh token. */
const idOf = (refreshToken: string) => refreshToken.slice(0, 36)

async function openedByLogin(database: TestDatabase, email: string): Promise<Session> {
  const { token } = (await database.login({ email, password })).json()
  return (await database.openSession(token.jwt)).json()
}
