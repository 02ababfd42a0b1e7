import type { Session, SessionList } from '@usher/contract'
import { describe, expect, vi } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { password, start, type TestApi, type TestDatabase } from '../support/app.js'
import { auditRecords } from '../support/audit.js'
import { revokeTokens } from '../support/operator-changes.js'

const it = apiTest.extend('open', ({ database }) => opener(database))

/** Returns a function that logs a user in and opens a session. */
const opener = (database: TestDatabase) => async (email: string, body?: object) => {
  const { token } = (await database.login({ email, password })).json()
  return { login: token.jwt, ...(await database.openSession(token.jwt, body)).json<Session>() }
}

const idOf = ({ refreshToken }: Session) => refreshToken.value.slice(0, 36)

const listed = async (database: TestDatabase, jwt: string) =>
  (await database.as(jwt, 'GET', 'me/sessions')).json<SessionList>().sessions

let count = 0
const newEmail = () => `list-${++count}@example.com`

describe('the label of a session', () => {
  it('the label of a session is trimmed, and shown in the list of sessions', async ({ database, open }) => {
    const email = newEmail()
    await database.signedUp({ email })
    const { token } = await open(email, { label: ' Ada’s 📱 ' })
    await open(email, {})
    await open(email, { label: null })
    await open(email)
    const labels = (await listed(database, token.jwt)).map(({ label }) => label)
    expect(labels).toEqual(['Ada’s 📱', null, null, null])
  })

  it('the label of a session stays when the session is refreshed', async ({ database, open }) => {
    const email = newEmail()
    await database.signedUp({ email })
    const { refreshToken } = await open(email, { label: 'x'.repeat(255) })
    const { token } = (await database.refresh(refreshToken.value)).json()
    expect(await listed(database, token.jwt)).toMatchObject([{ label: 'x'.repeat(255) }])
  })

  it.for([
    [{ label: '' }, { path: 'label', code: 'blank', detail: 'must not be blank' }],
    [{ label: '\t ' }, { path: 'label', code: 'blank' }],
    [{ label: 'x'.repeat(256) }, { path: 'label', code: 'too_long', max: 255 }],
    [{ label: 'a\0b' }, { path: 'label', code: 'invalid_character' }],
    [{ label: '\ud800' }, { path: 'label', code: 'invalid_character' }],
    [{ label: 5 }, { path: 'label', code: 'invalid_type', detail: 'must be a string' }],
    [{ label: ['a'] }, { path: 'label', code: 'invalid_type' }],
    [['a'], { path: '', code: 'invalid_type', detail: 'must be an object' }],
  ] as const)('is refused in the body %j, and no session is opened', async ([body, error], { database }) => {
    const { token } = await database.signedUp()
    const response = await database.openSession(token.jwt, body)
    expect([response.statusCode, response.json().errors]).toMatchObject([400, [error]])
    expect((await database.openSession(token.jwt)).statusCode).toBe(201)
  })
})

describe('listSessions', () => {
  it('listSessions includes the current session even if 120 others were used later', async ({
    usher,
    database,
    clock,
  }) => {
    const { id: userId, token, ...session } = await database.opened()
    // The store's clock says when the current session was used.
    const later = new Date(Date.now() + 3_600_000)
    const where = { databaseId: database.id, id: userId }
    const { generation } = await usher.store.prisma.user.findFirstOrThrow({ where })
    const data = Array.from({ length: 120 }, () => ({
      databaseId: database.id,
      id: crypto.randomUUID(),
      userId,
      generation,
      createdAt: later,
      provenAt: later,
      refreshedAt: later,
      expiresAt: new Date(start + 86_400_000),
    }))
    await usher.store.prisma.session.createMany({ data })
    clock.now = start + 120_000
    const sessions = await listed(database, token.jwt)
    expect(sessions).toHaveLength(100)
    expect(sessions[0]).toMatchObject({ id: idOf({ id: userId, token, ...session }), current: true })
    expect(sessions.filter(({ current }) => current)).toHaveLength(1)
  })

  it('listSessions marks the current session for each of its tokens, also for the token of its login', async ({
    database,
    open,
  }) => {
    const email = newEmail()
    await database.signedUp({ email })
    const [one, other] = [await open(email), await open(email)]
    const refreshed: Session = (await database.refresh(one.refreshToken.value)).json()
    for (const jwt of [one.login, one.token.jwt, refreshed.token.jwt]) {
      const sessions = await listed(database, jwt)
      expect(sessions.map(({ id, current }) => [id, current])).toEqual([
        [idOf(one), true],
        [idOf(other), false],
      ])
    }
  })

  it.for([
    [
      'the user is deleted',
      ({ usher, database }, id) =>
        usher.store.prisma.user.deleteMany({ where: { databaseId: database.id, id } }),
    ],
    [
      'the user is disabled',
      ({ usher, database }, id) =>
        usher.store.prisma.user.updateMany({
          where: { databaseId: database.id, id },
          data: { disabledAt: new Date() },
        }),
    ],
    [
      'the tokens are revoked',
      ({ usher, database }, id) => revokeTokens({ store: usher.store, now: new Date() }, database, id),
    ],
  ] as const satisfies [string, (fixtures: Fixtures, userId: string) => Promise<unknown>][])(
    'refuses a token whose user has been read if %s before the sessions are',
    async ([_case, change], { usher, database }) => {
      for (const user of [await database.signedUp(), await database.opened()]) {
        const { findUser } = usher.context
        vi.spyOn(usher.context, 'findUser').mockImplementationOnce(async (...key) => {
          const found = await findUser(...key)
          await change({ usher, database }, user.id)
          return found
        })
        const response = await database.as(user.token.jwt, 'GET', 'me/sessions')
        expect([response.statusCode, response.json().code]).toEqual([401, 'token_invalid'])
      }
    },
  )
})

describe('endSessionById', () => {
  it('endSessionById ends one session of the user, and succeeds again', async ({ usher, database, open }) => {
    const email = newEmail()
    const { id: userId } = await database.signedUp({ email })
    const [phone, laptop] = [await open(email), await open(email)]
    usher.forgetLog()
    for (let round = 0; round < 2; round++) {
      const response = await database.as(laptop.token.jwt, 'DELETE', `me/sessions/${idOf(phone)}`)
      expect([response.statusCode, response.body]).toEqual([204, ''])
    }
    expect((await database.refresh(phone.refreshToken.value)).json().code).toBe('session_ended')
    expect((await database.me(phone.token.jwt)).json().code).toBe('token_invalid')
    expect(await listed(database, laptop.token.jwt)).toMatchObject([{ id: idOf(laptop) }])
    const ended = auditRecords(usher).filter(({ audit }) => audit === 'session.ended')
    expect(ended).toMatchObject([
      { audit: 'session.ended', databaseId: database.id, userId, sessionId: idOf(phone) },
    ])
  })

  it('endSessionById can end the current session, whose tokens are rejected then', async ({ database }) => {
    const { token, ...session } = await database.opened()
    const end = () => database.as(token.jwt, 'DELETE', `me/sessions/${idOf({ token, ...session })}`)
    expect((await end()).statusCode).toBe(204)
    expect((await end()).json().code).toBe('token_invalid')
    expect((await database.me(token.jwt)).json().code).toBe('token_invalid')
  })

  it('endSessionById changes nothing for the session of another user or database, and for an unknown id', async ({
    usher,
    database,
  }) => {
    const elsewhere = await usher.newDatabase()
    const [owner, other] = [await database.opened(), await elsewhere.opened()]
    const { token } = await database.signedUp()
    for (const id of [idOf(owner), idOf(other), crypto.randomUUID()])
      expect((await database.as(token.jwt, 'DELETE', `me/sessions/${id}`)).statusCode).toBe(204)
    expect((await database.refresh(owner.refreshToken.value)).statusCode).toBe(200)
    expect((await elsewhere.refresh(other.refreshToken.value)).statusCode).toBe(200)
  })

  it.for(['x', '', '.', '01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a030'])(
    'refuses the id %j as one that is no UUID, and ends no session',
    async (id, { database }) => {
      const { token } = await database.opened()
      const response = await database.as(token.jwt, 'DELETE', `me/sessions/${id}`)
      expect([response.statusCode, response.json().errors]).toEqual([
        400,
        [{ path: 'sessionId', code: 'invalid_type', detail: 'must be a UUID' }],
      ])
      expect((await database.me(token.jwt)).statusCode).toBe(200)
    },
  )
})

interface Fixtures {
  usher: TestApi
  database: TestDatabase
}
