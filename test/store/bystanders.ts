import { expect } from 'vitest'
import type { Prisma } from '../../server/store/generated/client.js'
import type { OpenStore } from '../support/open-store.js'

type Transaction = Prisma.TransactionClient

/** Prefix of each id and key of a bystander. Nothing else begins with it. */
const mark = 'b0b0b0b0'
const uuid = (n: number) => `${mark}-0000-7000-8000-${String(n).padStart(12, '0')}`
const bytes = (n: number) => new Uint8Array(Buffer.from(uuid(n).replaceAll('-', ''), 'hex'))
const later = new Date('2099-01-01T00:00:00Z')

/** Ids that belong to a bystander. */
export const bystander = { sessionId: uuid(1), resetCodeId: uuid(50), verificationCodeId: uuid(60) }

interface Bystanders {
  databaseId: string
  now: Date
  /** Key of the network from which other users log in. */
  network?: Uint8Array
  /** A tenant of other users. */
  tenantId?: string
  /** The address to which their codes were sent, by default their own. */
  codesTo?: string
}

/**
 * Adds two users to a database that no operation or command of a test concerns: an enabled and a disabled one. They
 * have rows in each table, which resemble those of other users as much as possible.
 *
 * @returns a function that fails if one of their rows has changed
 */
export async function addBystanders(store: OpenStore, bystanders: Bystanders) {
  await unlogged(store, (prisma) => insertBystanders(prisma, bystanders))
  const rows = () => unlogged(store, (prisma) => rowsOf(prisma, bystanders.databaseId))
  const before = await rows()
  const tables = await unlogged(store, tablesOfUsers)
  expect([...before.keys()].sort(), 'tables with rows of bystanders').toEqual(tables)
  return async () => expect(await rows(), 'rows of bystanders').toEqual(before)
}

/** Runs work in a transaction that the log of statements leaves out. */
const unlogged = <Result>({ prisma }: OpenStore, work: (prisma: Transaction) => Promise<Result>) =>
  prisma.$transaction(
    async (transaction) => {
      await transaction.$executeRaw`SET LOCAL log_statement = 'none'`
      return work(transaction)
    },
    { timeout: 30_000 },
  )

async function insertBystanders(prisma: Transaction, bystanders: Bystanders) {
  const { databaseId, now, tenantId, codesTo } = bystanders
  const network = new Uint8Array(bystanders.network ?? bytes(90))
  for (const [index, disabledAt] of [null, now].entries()) {
    const [userId, email] = [uuid(10 + index), `bystander-${index}@example.com`]
    const [user, created] = [
      { databaseId, userId },
      { databaseId, createdAt: now },
    ]
    const generation = now.getTime()
    const own = { databaseId, id: uuid(20 + index) }
    await prisma.user.createMany({
      data: {
        ...created,
        id: userId,
        email,
        canonicalEmail: email,
        passwordHash: '',
        disabledAt,
        generation,
      },
    })
    await prisma.user.createMany({
      data: {
        ...created,
        id: uuid(120 + index),
        email: `former-${email}`,
        canonicalEmail: `former-${email}`,
        passwordHash: '',
        disabledAt: now,
        generation: 1,
        reservedFor: userId,
        reservedUntil: later,
      },
    })
    await prisma.tenant.createMany({ data: { ...created, id: own.id, name: 'Engines' } })
    for (const each of tenantId ? [own.id, tenantId] : [own.id])
      await prisma.membership.createMany({ data: { ...user, tenantId: each, joinedAt: now } })
    await prisma.session.createMany({
      data: {
        ...user,
        id: uuid(1 + index),
        generation,
        createdAt: now,
        provenAt: now,
        refreshedAt: new Date(0),
        expiresAt: later,
      },
    })
    await prisma.loginFailures.createMany({
      data: [new Uint8Array(), network].map((each) => ({
        databaseId,
        address: bytes(30 + index),
        network: each,
        failures: 3,
        lastFailureAt: now,
      })),
    })
    await prisma.identity.createMany({
      data: {
        ...user,
        id: uuid(74 + index),
        connection: 'acme',
        issuer: 'https://acme.example',
        subject: uuid(74 + index),
        isProven: true,
        linkedAt: now,
      },
    })
    await prisma.tenantEntry.createMany({
      data: {
        ...user,
        id: uuid(150 + index),
        tenantId: own.id,
        connectionId: uuid(160 + index),
        issuer: 'https://acme.example',
        subject: uuid(150 + index),
        provesFrom: now,
      },
    })
    await prisma.factor.createMany({
      data: {
        ...user,
        id: uuid(70 + index),
        kind: 'totp',
        sealedSecret: bytes(70 + index),
        lastStep: 0,
        createdAt: now,
      },
    })
    await prisma.recoveryCode.createMany({ data: { ...user, hash: bytes(72 + index) } })
    await prisma.factorGuess.createMany({ data: { ...user, isKnown: true, fullAt: now, failures: 1 } })
    await prisma.knownNetwork.createMany({ data: { ...user, network, lastLoginAt: now } })
    await prisma.idempotencyKey.createMany({
      data: { ...user, key: bytes(40 + index), canonicalEmail: email, createdAt: now },
    })
    await prisma.apiRequest.createMany({
      data: { ...user, key: bytes(45 + index), fingerprint: '', response: {}, createdAt: now },
    })
    await prisma.loginAttempt.createMany({
      data: {
        databaseId,
        id: uuid(140 + index),
        kind: 'mail',
        challenge: '',
        email,
        canonicalEmail: email,
        expiresAt: later,
      },
    })
    for (const [n, purpose] of ['password_reset', 'email_verification', 'email_change'].entries()) {
      const id = uuid((n < 2 ? 50 + 10 * n : 130) + index)
      await prisma.code.createMany({
        data: { ...user, id, purpose, canonicalEmail: codesTo ?? email, createdAt: now, expiresAt: later },
      })
      await prisma.message.createMany({
        data: { ...user, id, kind: 'mail', payload: { type: purpose }, createdAt: now, dueAt: later },
      })
      await prisma.codeRequest.createMany({
        data: { databaseId, purpose, source: bytes(70 + index), countedAt: now, fullAt: later },
      })
    }
    await prisma.message.createMany({
      data: {
        ...user,
        id: uuid(80 + index),
        kind: 'webhook',
        payload: { type: 'user.updated' },
        createdAt: now,
        dueAt: later,
      },
    })
    await prisma.invitation.createMany({
      data: {
        ...created,
        id: uuid(100 + index),
        tenantId: own.id,
        email,
        canonicalEmail: email,
        role: 'member',
        inviterId: userId,
        codeId: uuid(110 + index),
        expiresAt: later,
      },
    })
    await prisma.messageStream.createMany({ data: { databaseId, id: userId, dueAt: later } })
  }
}

/** Returns the names of tables whose rows belong to a user or to an address. */
async function tablesOfUsers(prisma: Transaction) {
  const tables = await tablesWithColumns(prisma, ['user_id', 'address', 'source'])
  return [...tables, 'user', 'tenant', 'invitation', 'outbox_stream'].sort()
}

async function tablesWithColumns(prisma: Transaction, columns: string[]) {
  const tables = await prisma.$queryRaw<{ name: string }[]>`
    SELECT DISTINCT table_name::text AS name FROM information_schema.columns
    WHERE table_schema = 'usher' AND column_name = ANY (${columns})`
  return tables.map(({ name }) => name)
}

/** Returns the rows of bystanders by their tables. */
async function rowsOf(prisma: Transaction, databaseId: string) {
  const rows = new Map<string, unknown[]>()
  for (const table of await tablesWithColumns(prisma, ['database_id'])) {
    const found = await prisma.$queryRawUnsafe<{ row: unknown }[]>(
      `SELECT to_jsonb(t) AS row FROM usher."${table}" AS t
      WHERE database_id = $1::uuid AND to_jsonb(t)::text LIKE '%${mark}%' ORDER BY to_jsonb(t)::text`,
      databaseId,
    )
    if (found.length > 0)
      rows.set(
        table,
        found.map(({ row }) => row),
      )
  }
  return rows
}
