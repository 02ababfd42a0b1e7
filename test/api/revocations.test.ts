import type { Session, SignedInUser } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { issueCode } from '../../server/domain/codes/code.js'
import { storeCode as insertCode } from '../../server/store/queries/codes.js'
import { revokeOthers } from '../../server/store/queries/session-ends.js'
import type { Store } from '../../server/store/store.js'
import { it as apiTest } from '../support/api.js'
import { password, startApp, type TestApi, type TestDatabase } from '../support/app.js'
import { newGate } from '../support/gate.js'
import { lockWaits } from '../support/lock-waits.js'
import { disableUser, enableUser, revokeTokens, setPassword } from '../support/operator-changes.js'
import { openPostgresCopy, type TestStore } from '../support/store.js'

const newPassword = 'four random common words'
const refused = [401, 'token_invalid']
const ended = [401, 'session_ended']

type Response = { statusCode: number; json(): { code: string } }
const outcome = (response: Response) => [response.statusCode, response.json().code]

/** A user, on the server and the store that revoke. */
interface Subject {
  usher: TestApi
  store: Store
  database: TestDatabase
  user: SignedInUser & { email: string }
}

/** Stores a code of a purpose and a mail that waits for its delivery. Returns the code. */
async function storeCode(
  { usher, database, user }: Subject,
  purpose: 'password_reset' | 'email_verification',
) {
  const [id, databaseId, userId, createdAt] = [uuidv7(), database.id, user.id, new Date(usher.clock.now)]
  const message = { kind: 'mail', userId, payload: { type: purpose }, createdAt, dueAt: null }
  const expiresAt = new Date(usher.clock.now + 3_600_000)
  const { prisma } = usher.store
  await prisma.code.deleteMany({ where: { databaseId, userId, purpose } })
  await prisma.message.create({ data: { databaseId, id, ...message } })
  await prisma.code.create({
    data: { databaseId, id, purpose, userId, canonicalEmail: user.email, createdAt, expiresAt },
  })
  return issueCode(usher.context, { databaseId, purpose, id, canonicalEmail: user.email })
}

const byCommand =
  (...commands: (typeof disableUser)[]) =>
  async ({ usher, store, database, user }: Subject) => {
    const now = new Date(usher.clock.now)
    for (const command of commands) await command({ store, now }, database, user.id)
  }

/** Every operation and command that revokes the tokens of a user, with the user's password afterwards. */
const revocations: [string, (subject: Subject) => Promise<unknown>, string][] = [
  [
    'a change of the password',
    ({ database, user }) => database.as(user.token.jwt, 'PUT', 'me/password', { password, newPassword }),
    newPassword,
  ],
  [
    'a log-out everywhere',
    ({ database, user }) => database.as(user.token.jwt, 'DELETE', 'me/sessions'),
    password,
  ],
  [
    'a reset of the password',
    async (subject) => {
      const code = await storeCode(subject, 'password_reset')
      const { users } = subject.database
      const payload = { code, newPassword }
      return subject.usher.send({ method: 'POST', url: `${users}/password-reset/confirm`, payload })
    },
    newPassword,
  ],
  ['user revoke-tokens', byCommand(revokeTokens), password],
  [
    'user set-password',
    ({ usher, store, database, user }) =>
      setPassword({ ...usher.context, store, now: new Date(usher.clock.now) }, database, {
        userRef: user.id,
        password: newPassword,
      }),
    newPassword,
  ],
  ['user disable and enable', byCommand(disableUser, enableUser), password],
]

const it = apiTest
  .extend('subject', async ({ usher, database, clock }): Promise<Subject> => {
    clock.now = Date.now()
    return signUp(usher, usher.store, database)
  })
  // Two servers on one Postgres store, the first of which does not commit a revocation before `commit` is called.
  .extend('postgres', { scope: 'file' }, async ({ storeKind: _ }, { onCleanup }) => {
    const store = await openPostgresCopy()
    onCleanup(store.close)
    return store
  })
  .extend('held', { scope: 'file' }, async ({ postgres }, { onCleanup }) => {
    const revocation = holdRevocations(postgres)
    const [here, there] = [await startApp(revocation.store), await startApp(postgres)]
    onCleanup(async () => {
      await here.close()
      await there.close()
    })
    const database = await here.newDatabase()
    const elsewhere = there.client(database.workspaceSlug, database.databaseName)
    return { revocation, here, there, database, elsewhere }
  })
  .extend('servers', async ({ held }) => {
    const { revocation, here, there, database, elsewhere } = held
    revocation.reset()
    here.clock.now = there.clock.now = Date.now()
    return { subject: await signUp(here, revocation.store, database), revocation, there, elsewhere }
  })
  .extend('ahead', { scope: 'file' }, async ({ store }, { onCleanup }) => {
    const ahead = await startApp(store)
    onCleanup(ahead.close)
    return ahead
  })

async function signUp(usher: TestApi, store: Store, database: TestDatabase): Promise<Subject> {
  const email = `${crypto.randomUUID()}@example.com`
  return { usher, store, database, user: { email, ...(await database.signedUp({ email })) } }
}

/** Returns a store whose revocations wait before they are committed. */
function holdRevocations(postgres: TestStore) {
  let [executed, commit] = [newGate(), newGate()]
  const isRevocation = (text: string) => /SET[^;]* generation = GREATEST/.test(text)
  const transaction: Store['transaction'] = (databaseId, work) =>
    postgres.transaction(databaseId, async (query) => {
      let hasRevoked = false
      const result = await work((text, values) => {
        hasRevoked ||= isRevocation(text)
        return query(text, values)
      })
      if (!hasRevoked) return result
      executed.open()
      await commit.opened
      return result
    })
  const query: Store['query'] = (text, values, milliseconds) =>
    isRevocation(text)
      ? transaction(String(values[0]), (run) => run(text, values))
      : postgres.query(text, values, milliseconds)
  return {
    store: { ...postgres, query, transaction },
    reset: () => {
      ;[executed, commit] = [newGate(), newGate()]
    },
    executed: () => executed.opened,
    commit: () => commit.open(),
  }
}

describe.each(revocations)('%s', (_name, revoke, passwordThen) => {
  it('rejects the token of a login that read the user before the commit, also if it is issued in a later second', async ({
    servers: { subject, revocation, there, elsewhere },
  }) => {
    const revoked = revoke(subject)
    await revocation.executed()
    there.clock.now = Date.now() + 2_000
    const logIn = async (): Promise<SignedInUser> =>
      (await elsewhere.login({ email: subject.user.email, password })).json()
    const [one, other] = [await logIn(), await logIn()]
    const session: Session = (await elsewhere.openSession(one.token.jwt)).json()
    expect((await elsewhere.me(session.token.jwt)).statusCode).toBe(200)
    revocation.commit()
    await revoked
    there.clock.now += 1_000
    for (const { token } of [one, other, session])
      expect(outcome(await elsewhere.me(token.jwt))).toEqual(refused)
    expect(outcome(await elsewhere.openSession(other.token.jwt))).toEqual(refused)
    expect(outcome(await elsewhere.refresh(session.refreshToken.value))).toEqual(ended)
    const next = (await elsewhere.login({ email: subject.user.email, password: passwordThen })).json()
    expect((await elsewhere.me(next.token.jwt)).statusCode).toBe(200)
  })

  it('rejects the tokens and sessions of a server whose clock is 30 s ahead', async ({ subject, ahead }) => {
    const { database, user, usher } = subject
    ahead.clock.now = usher.clock.now + 30_000
    const there = ahead.client(database.workspaceSlug, database.databaseName)
    const logIn = async (): Promise<SignedInUser> =>
      (await there.login({ email: user.email, password })).json()
    const [one, other] = [await logIn(), await logIn()]
    const session: Session = (await there.openSession(one.token.jwt)).json()
    await revoke(subject)
    for (const { token } of [one, other, session]) {
      expect(outcome(await there.me(token.jwt))).toEqual(refused)
      expect(outcome(await database.me(token.jwt))).toEqual(refused)
    }
    expect(outcome(await there.openSession(other.token.jwt))).toEqual(refused)
    expect(outcome(await there.refresh(session.refreshToken.value))).toEqual(ended)
  })

  it('deletes the codes that reset the password, and the waiting mails with them', async ({ subject }) => {
    const { database, usher } = subject
    const code = await storeCode(subject, 'password_reset')
    const verification = await storeCode(subject, 'email_verification')
    const later = {
      id: 'ffffffff-ffff-7fff-bfff-ffffffffffff',
      databaseId: database.id,
      userId: subject.user.id,
    }
    const message = { ...later, kind: 'mail', payload: { type: 'password_reset' }, dueAt: null }
    await usher.store.prisma.message.create({ data: { ...message, createdAt: new Date() } })
    await revoke(subject)
    const send = (path: string, payload: object) =>
      usher.send({ method: 'POST', url: `${database.users}/${path}`, payload })
    const again = await send('password-reset/confirm', { code, newPassword: `other ${newPassword}` })
    expect(outcome(again)).toEqual([400, 'code_invalid'])
    const messages = await usher.store.prisma.message.findMany({ where: { userId: subject.user.id } })
    expect(messages).toMatchObject([{ payload: { type: 'email_verification' } }])
    expect((await send('email-verification', { code: verification })).statusCode).toBe(200)
  })
})

it('a refresh that waits for a revocation that lets its session continue returns a valid token', async ({
  postgres,
  servers: { subject, there, elsewhere },
}) => {
  const { database, user } = subject
  const session: Session = (await elsewhere.openSession(user.token.jwt)).json()
  const row = await postgres.prisma.user.findFirstOrThrow({ where: { databaseId: database.id, id: user.id } })
  const [changed, commit] = [newGate(), newGate()]
  const revoked = postgres.transaction(database.id, async (query) => {
    await revokeOthers(
      { query },
      {
        databaseId: database.id,
        id: user.id,
        generation: Number(row.generation),
        now: new Date(there.clock.now),
      },
    )
    changed.open()
    await commit.opened
  })
  await changed.opened
  const refreshing = elsewhere.refresh(session.refreshToken.value)
  await expect.poll(() => lockWaits(postgres), { timeout: 10_000 }).toBe(1)
  commit.open()
  await revoked
  const refreshed = await refreshing
  expect(refreshed.statusCode).toBe(200)
  expect((await elsewhere.me(refreshed.json().token.jwt)).statusCode).toBe(200)
})

it('a code that is stored while a revocation waits for it is rejected', async ({
  postgres,
  servers: { subject, there },
}) => {
  const { database, user } = subject
  const [stored, commit] = [newGate(), newGate()]
  const transaction: Store['transaction'] = (databaseId, work, milliseconds) =>
    postgres.transaction(
      databaseId,
      async (query) => {
        const result = await work(query)
        stored.open()
        await commit.opened
        return result
      },
      milliseconds,
    )
  const [id, databaseId, createdAt] = [uuidv7(), database.id, new Date(there.clock.now)]
  const code = { databaseId, id, purpose: 'password_reset', userId: user.id, createdAt }
  const message = {
    databaseId,
    id,
    kind: 'mail',
    userId: user.id,
    payload: { type: 'password_reset' },
    createdAt,
  }
  await postgres.prisma.message.create({ data: { ...message, dueAt: null } })
  const expiresAt = new Date(there.clock.now + 3_600_000)
  const storing = insertCode({ transaction }, { ...code, expiresAt }, () => true)
  await stored.opened
  const revoked = revokeTokens({ store: postgres, now: createdAt }, database, user.id)
  await expect.poll(() => lockWaits(postgres), { timeout: 10_000 }).toBe(1)
  commit.open()
  expect(await storing).toMatchObject({ email: user.email })
  await revoked
  const payload = {
    code: await issueCode(there.context, {
      databaseId,
      purpose: 'password_reset',
      id,
      canonicalEmail: user.email,
    }),
    newPassword,
  }
  const url = `${database.users}/password-reset/confirm`
  expect(outcome(await there.send({ method: 'POST', url, payload }))).toEqual([400, 'code_invalid'])
})
