import { v7 as uuidv7 } from 'uuid'
import { expect, vi } from 'vitest'
import { deliverCode } from '../../server/domain/mail/deliver-mail.js'
import type { Mail } from '../../server/domain/mail/mailer.js'
import { defaultTemplates } from '../../server/domain/mail/templates.js'
import { mailMessage } from '../../server/domain/notices/mail-message.js'
import { insertMessages } from '../../server/store/queries/outbox.js'
import type { Store } from '../../server/store/store.js'
import { it as apiTest } from '../support/api.js'
import { password, start, startApp, type TestDatabase, validUser } from '../support/app.js'
import { importAll, linesOf } from '../support/lines.js'
import { openPostgres } from '../support/open-store.js'
import type { TestStore } from '../support/store.js'

const it = apiTest.extend('storeKind', { scope: 'worker' }, 'postgres')

/** Waits until a number of statements wait for a lock. */
const waiting = ({ prisma }: TestStore, count: number) =>
  vi.waitFor(
    async () => {
      const rows = await prisma.$queryRaw`SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`
      expect(rows).toHaveLength(count)
    },
    { timeout: 10_000 },
  )

/** Signs up two owners of a tenant, in the order of their ids. */
async function twoOwners({ prisma }: TestStore, { id: databaseId, signedUp }: TestDatabase) {
  const ada = await signedUp({ newTenant: 'Engines' })
  const grace = await signedUp()
  const [tenantId = ''] = ada.tenants
  const membership = { databaseId, userId: grace.id, tenantId, joinedAt: new Date(start), role: 'owner' }
  await prisma.membership.create({ data: membership })
  return { databaseId, ada, grace, tenantId }
}

it('a sign-up that Postgres cancels because of a deadlock returns 503 and creates nothing', async ({
  store,
  database,
}) => {
  const { prisma } = store
  // Of a real deadlock, Postgres may cancel the other transaction.
  await prisma.$executeRaw`CREATE FUNCTION usher.cancel() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE deadlock_detected; END $$`
  await prisma.$executeRaw`CREATE TRIGGER cancel BEFORE INSERT ON usher.tenant
    FOR EACH ROW WHEN (NEW.name = 'Deadlocked') EXECUTE FUNCTION usher.cancel()`
  const body = validUser({ newTenant: 'Deadlocked' })
  const response = await database.createUser(body)
  expect(response.statusCode).toBe(503)
  expect(response.headers['retry-after']).toBe('1')
  await prisma.$executeRaw`DROP FUNCTION usher.cancel CASCADE`
  expect((await database.createUser(body)).statusCode).toBe(201)
})

it('a tenant is deleted when its last two users delete themselves at the same time', async ({
  store,
  database,
}) => {
  const { prisma } = store
  const { databaseId, ada, grace, tenantId } = await twoOwners(store, database)

  const deletions = await prisma.$transaction(
    async (transaction) => {
      // Neither user can be deleted until both deletions have begun.
      await transaction.$queryRaw`
        SELECT FROM usher."user" WHERE database_id = ${databaseId}::uuid FOR KEY SHARE`
      const begun = [ada, grace].map(({ token }) =>
        database.as(token.jwt, 'POST', 'me/deletion', { password }),
      )
      await waiting(store, 2)
      return begun
    },
    { timeout: 20_000 },
  )
  expect((await Promise.all(deletions)).map(({ statusCode }) => statusCode)).toEqual([204, 204])
  expect(await prisma.tenant.count({ where: { databaseId, id: tenantId } })).toBe(0)
})

it('a change of a member locks the users in the order of their ids, and then the tenant', async ({
  usher,
  store,
  database,
}) => {
  const { prisma } = store
  const { databaseId, ada, grace, tenantId } = await twoOwners(store, database)
  const change = await prisma.$transaction(
    async (holding) => {
      await holding.$queryRaw`SELECT FROM usher."user"
        WHERE database_id = ${databaseId}::uuid AND id = ${ada.id}::uuid FOR UPDATE`
      const changing = usher.send({
        method: 'PATCH',
        url: database.users.replace(/users$/, `tenants/${tenantId}/members/${ada.id}`),
        headers: { authorization: `Bearer ${grace.token.jwt}` },
        payload: { role: 'member' },
      })
      await waiting(store, 1)
      await prisma.$queryRaw`SELECT FROM usher."user"
        WHERE database_id = ${databaseId}::uuid AND id = ${grace.id}::uuid FOR UPDATE NOWAIT`
      await prisma.$queryRaw`SELECT FROM usher.tenant
        WHERE database_id = ${databaseId}::uuid AND id = ${tenantId}::uuid FOR UPDATE NOWAIT`
      return [changing]
    },
    { timeout: 20_000 },
  )
  expect((await change[0])?.statusCode).toBe(200)
})

it('a user who becomes an owner while the deletion of the account waits is still counted as one', async ({
  usher,
  store,
  database,
}) => {
  const { prisma } = store
  const { id: databaseId } = database
  const ada = await database.signedUp({ newTenant: 'Engines' })
  const grace = await database.signedUp({ newTenant: 'Compilers' })
  const joan = await database.signedUp()
  const [tenantId = ''] = ada.tenants
  const join = (userId: string, role: string) => ({
    data: { databaseId, userId, tenantId, role, joinedAt: new Date(start) },
  })
  await prisma.membership.create(join(joan.id, 'member'))
  const own = `tenants/${tenantId}/members/${ada.id}`
  const headers = { authorization: `Bearer ${ada.token.jwt}` }
  const leave = () => usher.send({ method: 'DELETE', url: database.users.replace(/users$/, own), headers })

  const [deletion, leaving] = await prisma.$transaction(
    async (holding) => {
      // The deletion waits here when it has checked that each tenant keeps an owner.
      await holding.$queryRaw`SELECT FROM usher.membership
        WHERE database_id = ${databaseId}::uuid AND tenant_id = ${grace.tenants[0]}::uuid FOR UPDATE`
      const begun = await prisma.$transaction(async (joining) => {
        await joining.$queryRaw`SELECT FROM usher."user"
          WHERE database_id = ${databaseId}::uuid AND id = ${grace.id}::uuid FOR NO KEY UPDATE`
        const deleting = database.as(grace.token.jwt, 'POST', 'me/deletion', { password })
        await waiting(store, 1)
        await joining.membership.create(join(grace.id, 'owner'))
        return [deleting]
      })
      await vi.waitFor(async () =>
        expect(
          await prisma.$queryRaw`SELECT pid FROM pg_stat_activity
            WHERE wait_event_type = 'Lock' AND query LIKE '%DELETE FROM usher."user"%'`,
        ).toHaveLength(1),
      )
      const second = leave()
      await Promise.race([second, waiting(store, 2)])
      return [begun[0], second] as const
    },
    { timeout: 20_000 },
  )
  expect([(await deletion)?.statusCode, (await leaving).statusCode]).toEqual([204, 409])
  expect(await prisma.membership.count({ where: { databaseId, tenantId, role: 'owner' } })).toBe(1)
})

it.for([0, 1])(
  'after %i deletions on the same connection, the deletion of a user locks the user before the tenants',
  async (others, { store, database }) => {
    // Postgres locks the tables of a prepared statement in another order than those of a new one.
    const connection = await openPostgres(String(store.settings?.DATABASE_URL), store.masterKey, {
      connections: 1,
    })
    const server = await startApp(connection)
    const { as, login, signedUp } = server.client(database.workspaceSlug, database.databaseName)
    for (let other = 0; other < others; other++) {
      const { token } = await signedUp({ newTenant: 'Engines' })
      expect((await as(token.jwt, 'POST', 'me/deletion', { password })).statusCode).toBe(204)
    }
    const email = `leaving-after-${others}@example.com`
    const { token } = await signedUp({ email, newTenant: 'Engines' })
    // Records the network, so that the deletion does not.
    await login({ email, password })

    const deletion = await store.prisma.$transaction(
      async (migration) => {
        await migration.$executeRaw`LOCK TABLE usher."user" IN EXCLUSIVE MODE`
        const begun = as(token.jwt, 'POST', 'me/deletion', { password })
        await waiting(store, 1)
        await migration.$executeRaw`LOCK TABLE usher.tenant IN EXCLUSIVE MODE NOWAIT`
        return [begun]
      },
      { timeout: 20_000 },
    )
    expect((await Promise.all(deletion)).map(({ statusCode }) => statusCode)).toEqual([204])
    await server.close()
    await connection.close()
  },
)

const email = 'ada@example.com'

it('a successful and a failed login of one user do not deadlock on the failure counts', async ({
  store,
  database,
}) => {
  const { prisma } = store
  const { id, login, signedUp } = database
  await signedUp({ email })
  // One server lets logins of one account and network wait for each other before they reach the store.
  const other = await startApp(store)
  const otherLogin = other.client(database.workspaceSlug, database.databaseName).login
  const fail = () => otherLogin({ email, password: 'not the password' })
  await fail()

  const responses = await prisma.$transaction(async (transaction) => {
    // Both must wait for the row that counts over all networks, the login that deletes it first.
    await transaction.$queryRaw`SELECT failures FROM usher.login_failures
      WHERE database_id = ${id}::uuid AND network = ''::bytea FOR UPDATE`
    const success = login({ email, password })
    await waiting(store, 1)
    const failure = fail()
    await waiting(store, 2)
    return [success, failure]
  })
  expect((await Promise.all(responses)).map(({ statusCode }) => statusCode)).toEqual([200, 401])
  await other.close()
})

it('a code that is used while its mail is delivered again can be used once, and its message is deleted', async ({
  usher,
  store,
  database,
}) => {
  const user = await database.signedUp()
  const message = mailMessage(
    { databaseId: database.id, type: 'password_reset', userId: user.id },
    new Date(start),
  )
  await store.prisma.message.create({ data: { ...message, dueAt: null } })
  const sent: Mail[] = []
  const from = { name: 'Acme', address: 'accounts@acme.example' }
  const deliver = (transaction: Store['transaction']) =>
    deliverCode(
      {
        ...usher.context,
        store: { ...usher.context.store, transaction },
        mail: { templates: defaultTemplates, from, sendMail: async (mail) => void sent.push(mail) },
        stopped: new AbortController().signal,
      },
      { appUrl: 'https://app.example.com' },
      { ...message, recipient: null },
    )
  const { transaction } = usher.context.store
  await deliver(transaction)
  const code = sent[0]?.text.match(/#code=(\S+)/)?.[1]
  const reset = () =>
    usher.send({
      method: 'POST',
      url: `${database.users}/password-reset/confirm`,
      payload: { code, newPassword: 'four random common words' },
    })
  let first: ReturnType<typeof reset> | undefined
  await deliver((databaseId, work) =>
    transaction(databaseId, (query) =>
      work(async (text, values) => {
        const isLast = text.includes('INTO usher.code')
        if (isLast) first = reset()
        if (isLast) await waiting(store, 1)
        return query(text, values)
      }),
    ),
  )
  expect((await first)?.statusCode).toBe(200)
  expect((await reset()).json().code).toBe('code_invalid')
  expect(await store.prisma.message.count({ where: { databaseId: database.id } })).toBe(0)
})

it('a request to change an address that waits for its user does not delay the mails of other users', async ({
  usher,
  store,
}) => {
  const database = await usher.newDatabase()
  const { id } = database
  const ada = await database.signedUp({ email })
  const grace = await database.signedUp({ email: 'grace@example.com' })
  const requestReset = () =>
    usher.send({
      method: 'POST',
      url: `${database.users}/password-reset`,
      payload: { email: 'grace@example.com' },
    })

  const [requested] = await store.prisma.$transaction(
    async (changing) => {
      await changing.$queryRaw`
        SELECT FROM usher."user" WHERE database_id = ${id}::uuid AND id = ${ada.id}::uuid FOR NO KEY UPDATE`
      const waits = database.as(ada.token.jwt, 'POST', 'me/email', { email: 'ada@engines.example', password })
      await waiting(store, 1)
      expect((await requestReset()).statusCode).toBe(202)
      const messages = { databaseId: id, userId: grace.id }
      expect(await store.prisma.message.count({ where: messages })).toBe(1)
      return [waits]
    },
    { timeout: 20_000 },
  )
  expect((await requested)?.statusCode).toBe(202)
})

it('events are stored in the order of their users, and those of a user in their own order', async () => {
  const stored: unknown[] = []
  const query = async (_text: string, values: readonly unknown[]) => {
    stored.push(values[1])
    return []
  }
  const events = ['b 1', 'a 2', 'c 3', 'b 4', 'a 5'].map((id) => ({
    databaseId: 'database',
    id,
    kind: 'webhook',
    userId: id.slice(0, 1),
    payload: {},
    createdAt: new Date(start),
    dueAt: new Date(start),
  }))
  await insertMessages({ query } as Pick<Store, 'query'>, events)
  expect(stored).toEqual(['a 2', 'a 5', 'b 1', 'b 4', 'c 3'])
})

it.for(['users', 'tenants'])(
  'an import stores %s in the order of their keys',
  async (kind, { usher, store }) => {
    const { prisma } = store
    const { id: databaseId } = await usher.newDatabase()
    const [first, second] = [uuidv7(), uuidv7()] as const
    const lines = linesOf(
      { email: 'b@example.com', tenants: [{ id: second, name: 'Engines' }] },
      { email: 'a@example.com', tenants: [{ id: first, name: 'Looms' }] },
    )
    const createdAt = new Date(start)
    const create = (open: Pick<typeof prisma, 'user' | 'tenant'>, name: 'a' | 'b') => {
      const email = `${name}@example.com`
      return kind === 'users'
        ? open.user.create({
            data: { databaseId, id: uuidv7(), email, canonicalEmail: email, passwordHash: '', createdAt },
          })
        : open.tenant.create({
            data: { databaseId, id: name === 'a' ? first : second, name, createdAt },
          })
    }
    const [importing] = await prisma.$transaction(
      async (holding) => {
        await create(holding, 'a')
        const running = importAll(usher, databaseId, lines)
        await waiting(store, 1)
        await prisma.$transaction(async (other) => {
          await other.$executeRaw`SET LOCAL lock_timeout = 1000`
          await create(other, 'b')
        })
        return [running]
      },
      { timeout: 20_000 },
    )
    expect(await importing).toMatchObject(
      kind === 'users' ? { added: 0, alreadyThere: 2 } : { added: 2, alreadyThere: 0 },
    )
  },
)
