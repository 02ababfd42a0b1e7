import { randomBytes, randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import {
  createSecretLookup,
  generateSecret,
  lockSealingKey,
} from '../../server/domain/keys/database-secrets.js'
import {
  openConnectionSecret,
  openPrivateKey,
  openRequestSecret,
  openSecret,
  sealConnectionSecret,
  sealPrivateKey,
} from '../../server/domain/keys/master-key.js'
import { generateSigningKey } from '../../server/domain/keys/signing-keys.js'
import { requireMasterKey } from '../../server/domain/management/keys/require-master-key.js'
import { rewrapKeys } from '../../server/domain/management/keys/rewrap-keys.js'
import { UnavailableError } from '../../server/store/errors.js'
import { openKeyFile } from '../../server/store/key-file.js'
import { insertSecret, resealSigningKey } from '../../server/store/queries/keys.js'
import { startApp, validUser } from '../support/app.js'
import { runUsher } from '../support/command-line.js'
import { lockWaits } from '../support/lock-waits.js'
import type { OpenStore } from '../support/open-store.js'
import { openEmbedded } from '../support/open-store.js'
import { startOperator } from '../support/operator.js'
import { totpAt } from '../support/second-factor.js'
import { createDataFolder, openPostgresCopy, type TestStore } from '../support/store.js'

const newKey = () => randomBytes(32).toString('base64')
const wrongKey =
  'USHER_MASTER_KEY cannot decrypt the signing keys of this store. Set it to the master key of the servers, or of the backup. If keys rewrap has replaced that key, set the new one. For an embedded store with a file master.key, unset USHER_MASTER_KEY'

/** Starts an operator on a separate store, because the test replaces the master key. */
async function startOwnOperator() {
  const store = await openPostgresCopy()
  const usher = await startOperator(store)
  onTestFinished(() => usher.close().then(store.close))
  return usher
}

/** Returns the keys and secrets of a store that cannot be decrypted with a master key. */
async function sealedWithOther({ prisma }: OpenStore, masterKey: Buffer) {
  const found: string[] = []
  const check = (name: string, open: () => unknown) => {
    try {
      open()
    } catch {
      found.push(name)
    }
  }
  const keys = { masterKey }
  for (const row of await prisma.signingKey.findMany()) check(row.kid, () => openPrivateKey(keys, row))
  for (const row of await prisma.databaseSecret.findMany()) check('secret', () => openSecret(keys, row))
  for (const row of await prisma.database.findMany()) {
    const { sealedWebhookSecret: webhook, sealedSignUpHookSecret: hook } = row
    const id = (field: 'sealedWebhookSecret' | 'sealedSignUpHookSecret') => ({ id: row.id, field })
    if (webhook) check('webhook', () => openRequestSecret(keys, webhook, id('sealedWebhookSecret')))
    if (hook) check('hook', () => openRequestSecret(keys, hook, id('sealedSignUpHookSecret')))
  }
  for (const { databaseId, id: name, sealedSecret } of await prisma.tenantConnection.findMany())
    if (sealedSecret) check(name, () => openConnectionSecret(keys, sealedSecret, { databaseId, name }))
  return found
}

/** Adds a tenant whose single sign-on has a secret. */
async function addConnection({ prisma, masterKey }: OpenStore, databaseId: string) {
  const [tenantId, id] = [randomUUID(), randomUUID()]
  const createdAt = new Date()
  await prisma.tenant.createMany({ data: { databaseId, id: tenantId, name: 'Acme', createdAt } })
  const sealedSecret = sealConnectionSecret(masterKey, 'secret', {
    databaseId,
    name: id,
  }) as Uint8Array<ArrayBuffer>
  const connection = { preset: 'oidc', issuer: 'https://idp.example', clientId: 'app', sealedSecret }
  await prisma.tenantConnection.createMany({ data: { databaseId, id, tenantId, createdAt, ...connection } })
}

/** Waits until a statement waits for a lock. */
const lockWait = (store: OpenStore) => expect.poll(() => lockWaits(store), { timeout: 5_000 }).toBe(1)

/** Returns a store that stores one update and fails from the second one on. */
function cutAfterOne(store: OpenStore): OpenStore {
  let first: Promise<unknown> | undefined
  const query: OpenStore['query'] = async <Row>(text: string, values: unknown[]) => {
    if (!/^\s*UPDATE/.test(text)) return store.query<Row>(text, values)
    if (first) {
      await first
      throw new Error('cut')
    }
    const rows = store.query<Row>(text, values)
    first = rows
    return rows
  }
  return { ...store, query }
}

describe('keys rewrap', () => {
  it('keys rewrap re-encrypts all keys, so a server starts only with the new master key', async () => {
    const usher = await startOwnOperator()
    const { id, path, ...database } = await usher.newDatabase()
    await usher.newDatabase()
    const { token } = await database.signedUp()
    const mac = await createSecretLookup(usher.store)(id).then((each) => each.sign('refresh_token', 'a'))
    const next = { USHER_NEW_MASTER_KEY: newKey() }
    const { stdout, audited } = await usher.operator('keys rewrap', '', next)
    expect(stdout).toBe(
      'Re-encrypted keys: 2. Set USHER_MASTER_KEY to the new master key everywhere, and remove USHER_NEW_MASTER_KEY.\n',
    )
    expect(audited).toMatchObject([{ audit: 'keys.rewrapped' }])

    expect(await usher.outcome('serve --workers 1')).toBe(`1 usher: ${wrongKey}\n`)
    expect(await usher.outcome('keys list a/b', '', { USHER_NEW_MASTER_KEY: newKey() })).toBe(
      `1 usher: ${wrongKey}\n`,
    )
    expect(await usher.outcome('keys rewrap', '', next)).toMatch(/^0 Re-encrypted keys: 0\./)
    const env = { USHER_MASTER_KEY: next.USHER_NEW_MASTER_KEY }
    expect(await usher.operator(`keys list ${path}`, '', env)).toMatchObject({ code: 0 })

    const server = await usher.otherServer(Buffer.from(next.USHER_NEW_MASTER_KEY, 'base64'))
    const { me } = server.client(database.workspaceSlug, database.databaseName)
    expect((await me(token.jwt)).statusCode).toBe(200)
    const secrets = await server.context.findSecrets(id)
    expect(secrets.verify(mac, 'refresh_token', 'a')).toBe(true)
    await server.close()
  })

  it('an authenticator app works after keys rewrap', async () => {
    const usher = await startOwnOperator()
    const { workspaceSlug, databaseName, ...database } = await usher.newDatabase()
    const given = validUser()
    const { jwt } = (await database.signedUp(given)).token
    const { challenge, secret } = (
      await database.as(jwt, 'POST', 'me/factors/totp', { password: given.password })
    ).json()
    const body = { challenge, totp: totpAt(secret, usher.clock.now) }
    expect((await database.as(jwt, 'POST', 'me/factors/totp/confirm', body)).statusCode).toBe(201)
    const next = newKey()
    expect(await usher.outcome('keys rewrap', '', { USHER_NEW_MASTER_KEY: next })).toMatch(/^0 /)

    const server = await usher.otherServer(Buffer.from(next, 'base64'))
    server.clock.now += 30_000
    const { login, as } = server.client(workspaceSlug, databaseName)
    const { secondFactor } = (await login(given)).json()
    const proof = { challenge: secondFactor.challenge, totp: totpAt(secret, server.clock.now) }
    expect((await as('', 'POST', 'login/second-factor', proof)).statusCode).toBe(200)
    await server.close()
  })

  it('keys rewrap names a key that neither master key can decrypt, and re-encrypts the others', async () => {
    const usher = await startOwnOperator()
    const { id } = await usher.newDatabase()
    await usher.newDatabase()
    await usher.newDatabase()
    await usher.store.prisma.signingKey.updateMany({
      where: { databaseId: id },
      data: { sealedPrivateKey: new Uint8Array(64) },
    })
    const key = newKey()
    const [{ kid } = { kid: '' }] = await usher.store.prisma.signingKey.findMany({
      where: { databaseId: id },
    })
    expect(await usher.outcome('keys rewrap', '', { USHER_NEW_MASTER_KEY: key })).toMatch(
      new RegExp(
        `^1 \\{.*\\}\nusher: neither master key can decrypt signing key ${kid} of database ${id}, and 0 more\\. All others are re-encrypted\n$`,
      ),
    )
    expect(await sealedWithOther(usher.store, Buffer.from(key, 'base64'))).toEqual([kid])
  })

  it('keys rewrap can be continued after each statement, while a server with both keys serves', async () => {
    const usher = await startOwnOperator()
    const { store } = usher
    const databases = [await usher.newDatabase(), await usher.newDatabase()]
    for (const database of databases) {
      await database.opened()
      await usher.json(`keys rotate ${database.path} --activate-in 0`)
      // Nothing answers there.
      const hook = '--sign-up-hook-url http://localhost:1 --sign-up-hook-failure allow'
      await usher.json(`database set ${database.path} --webhook-url http://localhost ${hook}`)
      await addConnection(store, database.id)
    }
    const newMasterKey = randomBytes(32)
    const both = { ...store, newMasterKey }
    let cuts = 0
    const cutAfterOneUpdate = () => rewrapKeys(cutAfterOne(both), newMasterKey)
    for (;;) {
      const left = await sealedWithOther(store, newMasterKey)
      const result = await cutAfterOneUpdate().catch((error) => String(error))
      if (result !== 'Error: cut') {
        expect(left.length).toBeLessThanOrEqual(1)
        break
      }
      cuts += 1
      expect(await sealedWithOther(store, newMasterKey)).toHaveLength(left.length - 1)
      const server = await startApp(both as TestStore)
      server.clock.now = usher.clock.now
      for (const { workspaceSlug, databaseName } of databases) {
        const client = server.client(workspaceSlug, databaseName)
        const { refreshToken } = await client.opened()
        expect((await client.refresh(refreshToken.value)).statusCode).toBe(200)
      }
      await server.close()
    }
    expect(cuts).toBeGreaterThanOrEqual(11)
    expect(await sealedWithOther(store, newMasterKey)).toEqual([])
    await requireMasterKey({ ...store, masterKey: newMasterKey })
  })

  it('a server with only the new master key does not start before keys rewrap has finished', async () => {
    const { store, ...usher } = await startOwnOperator()
    for (let count = 0; count < 5; count++) await usher.newDatabase()
    const newest = await store.prisma.signingKey.findMany({ orderBy: { databaseId: 'desc' }, take: 2 })
    const newMasterKey = randomBytes(32)
    for (const row of newest)
      await resealSigningKey(store, row, sealPrivateKey(newMasterKey, openPrivateKey(store, row), row))
    const only = (masterKey: Buffer) => requireMasterKey({ ...store, masterKey })
    await expect(only(store.masterKey)).rejects.toThrow('cannot decrypt the signing keys of this store')
    await expect(only(newMasterKey)).rejects.toThrow('cannot decrypt all signing keys of this store')
    await requireMasterKey({ ...store, newMasterKey })
  })

  it('the master key is checked without long waits for nodes of a distributed store that do not respond', async () => {
    const { store, ...usher } = await startOwnOperator()
    for (let count = 0; count < 5; count++) await usher.newDatabase()
    const ids = await store.prisma.database.findMany({ select: { id: true }, orderBy: { id: 'asc' } })
    const frozen = [ids.at(0), ids.at(1), ids.at(-1)].map((database) => database?.id)
    // Without a separate time limit, a statement would wait for the limit of the store.
    const query: OpenStore['query'] = (text, values, milliseconds = Number.POSITIVE_INFINITY) => {
      if (!frozen.includes(String(values[0]))) return store.query(text, values)
      if (milliseconds <= 2_000) return Promise.reject(new UnavailableError('does not respond'))
      return new Promise(() => undefined)
    }
    await requireMasterKey({ ...store, query })
    await expect(requireMasterKey({ ...store, query, masterKey: randomBytes(32) })).rejects.toThrow(wrongKey)
  })

  it('the key of the newest database is enough if no node of the oldest ones responds', async () => {
    const { store, ...usher } = await startOwnOperator()
    for (let count = 0; count < 12; count++) await usher.newDatabase()
    const { id: newest } = await usher.newDatabase()
    const query: OpenStore['query'] = (text, values, milliseconds) =>
      milliseconds && values[0] !== newest
        ? Promise.reject(new UnavailableError('does not respond'))
        : store.query(text, values)
    await requireMasterKey({ ...store, query })
    await expect(requireMasterKey({ ...store, query, masterKey: randomBytes(32) })).rejects.toThrow(wrongKey)
  })

  it('everything that is created with both keys after keys rewrap is encrypted with the new one', async () => {
    const usher = await startOwnOperator()
    const { path, ...database } = await usher.newDatabase()
    const next = newKey()
    const env = { USHER_NEW_MASTER_KEY: next }
    const isSealedWith = async (key: string) =>
      (await sealedWithOther(usher.store, Buffer.from(key, 'base64'))).length === 0
    const { workspaceSlug } = database
    const before = await usher.operator(`database create ${workspaceSlug}/before`, '', env)
    expect([before.code, await isSealedWith(usher.store.masterKey.toString('base64'))]).toEqual([0, true])
    expect((await usher.operator('keys rewrap', '', env)).code).toBe(0)
    const server = await startApp({ ...usher.store, newMasterKey: Buffer.from(next, 'base64') } as TestStore)
    await server.client(workspaceSlug, database.databaseName).opened()
    for (const command of [
      `database create ${workspaceSlug}/after`,
      `keys rotate ${path} --activate-in 0`,
      `database set ${path} --webhook-url http://localhost`,
    ]) {
      expect(await usher.operator(command, '', env), command).toMatchObject({ code: 0 })
    }
    expect(await isSealedWith(next)).toBe(true)
    await server.close()
  })

  it('keys rewrap waits for a secret that a server is about to store', async () => {
    const { store, ...usher } = await startOwnOperator()
    const { id } = await usher.newDatabase()
    const newMasterKey = randomBytes(32)
    const both = { ...store, newMasterKey }
    const events = new EventEmitter()
    const now = new Date()
    const storing = store.transaction(id, async (query) => {
      const masterKey = await lockSealingKey({ query }, both, id)
      events.emit('locked')
      await once(events, 'rewrap waits')
      await insertSecret({ query }, generateSecret({ databaseId: id, number: 1 }, masterKey, { now }))
    })
    await once(events, 'locked')
    const rewrapping = rewrapKeys(both, newMasterKey)
    await lockWait(store)
    events.emit('rewrap waits')
    await Promise.all([storing, rewrapping])
    expect(await sealedWithOther(store, newMasterKey)).toEqual([])
  })

  it('keys rewrap waits for a database that a process without the new key is about to create', async () => {
    const { store, ...usher } = await startOwnOperator()
    const { id } = await usher.newDatabase()
    const newMasterKey = randomBytes(32)
    const both = { ...store, newMasterKey }
    const events = new EventEmitter()
    const creating = store.prisma.$transaction(async (transaction) => {
      const { workspaceId } = await transaction.database.findUniqueOrThrow({ where: { id } })
      const data = { id: randomUUID(), workspaceId, name: 'other', createdAt: new Date() }
      await transaction.database.createMany({ data })
      const created = { id: data.id, signingAlgorithm: 'ES256' as const }
      await transaction.signingKey.createMany({
        data: generateSigningKey(created, store.masterKey, { now: data.createdAt }),
      })
      events.emit('inserted')
      await once(events, 'rewrap waits')
    })
    await once(events, 'inserted')
    const rewrapping = rewrapKeys(both, newMasterKey)
    await lockWait(store)
    events.emit('rewrap waits')
    await Promise.all([creating, rewrapping])
    expect(await sealedWithOther(store, newMasterKey)).toEqual([])
  })

  it('keys rewrap shows its progress on a terminal', async () => {
    const usher = await startOwnOperator()
    await usher.newDatabase()
    const { code, stderr } = await usher.operator('keys rewrap', [], { USHER_NEW_MASTER_KEY: newKey() })
    expect([code, stderr]).toEqual([0, expect.stringMatching(/(?<!-)1 of 1 databases/)])
  })

  it('keys rewrap looks at each of many databases once', async () => {
    const { store, ...usher } = await startOwnOperator()
    const { workspaceId } = await store.prisma.database.findUniqueOrThrow({
      where: { id: (await usher.newDatabase()).id },
    })
    const more = Array.from({ length: 200 }, (_, index) => ({
      id: uuidv7(),
      workspaceId,
      name: `many-${index}`,
      createdAt: new Date(),
    }))
    await store.prisma.database.createMany({ data: more })
    const progress: number[][] = []
    expect(await rewrapKeys(store, randomBytes(32), (...counts) => progress.push(counts))).toMatchObject({
      rewrapped: 1,
    })
    expect(progress.slice(0, 3)).toEqual([100, 200, 201].map((done) => [done, 201]))
  })

  it('keys rewrap requires the new master key in the environment', async () => {
    const usher = await startOwnOperator()
    expect(await usher.outcome('keys rewrap')).toMatch(/^2 usher: .*USHER_NEW_MASTER_KEY is required/s)
    expect(await usher.outcome('keys rewrap', '', { USHER_NEW_MASTER_KEY: 'short' })).toMatch(
      /^2 usher: .*USHER_NEW_MASTER_KEY must be 32 bytes as base64/s,
    )
  })
})

describe('the key file of an embedded store', () => {
  let folder: string
  const inFolder = (name: string) => join(folder, name)
  const keyIn = async (name = 'master.key') => (await readFile(inFolder(name), 'utf8')).trim()
  const names = async () => (await readdir(folder)).filter((name) => name.startsWith('master.key'))
  const connectKeyFile = async () => ({ keyFile: await openKeyFile(inFolder('master.key')) })
  const usher = (command: string, env: Record<string, string> = {}) =>
    runUsher(command.split(' '), { DATA_DIR: folder, BASE_URL: 'http://localhost', ...env })

  beforeAll(async () => {
    folder = await createDataFolder()
    await usher('workspace create acme')
    await usher('database create acme/app')
  })
  afterAll(() => rm(folder, { recursive: true }))
  beforeEach(async () => {
    await copyFile(inFolder('master.key'), inFolder('kept'))
  })

  it('the key file contains the new master key after keys rewrap, and after the next start if that was interrupted', async () => {
    const key = newKey()
    const { stdout } = await usher('keys rewrap', { USHER_NEW_MASTER_KEY: key })
    expect(stdout).toBe('Re-encrypted keys: 1. The file master.key contains the new master key.\n')
    expect([await keyIn(), await names()]).toEqual([key, ['master.key']])

    await copyFile(inFolder('master.key'), inFolder('master.key.next'))
    await copyFile(inFolder('kept'), inFolder('master.key'))
    expect(await usher('keys list acme/app')).toMatchObject({ code: 0 })
    expect([await keyIn(), await names()]).toEqual([key, ['master.key']])
  })

  it('keys rewrap is completed at the next start if it was interrupted before it re-encrypted a key', async () => {
    const key = newKey()
    await writeFile(inFolder('master.key.next'), key)
    expect(await usher('keys list acme/app')).toMatchObject({ code: 0 })
    expect([await keyIn(), await names()]).toEqual([key, ['master.key']])
  })

  it('keys rewrap is completed at the next start if it was interrupted between two keys', async () => {
    await usher('database create acme/second')
    const key = newKey()
    const store = await openEmbedded(folder)
    await expect(rewrapKeys(cutAfterOne(store), Buffer.from(key, 'base64'))).rejects.toThrow('cut')
    await store.close()
    expect(await names()).toEqual(['master.key', 'master.key.next'])
    const another = newKey()
    expect(await usher('keys rewrap', { USHER_NEW_MASTER_KEY: another })).toMatchObject({ code: 0 })
    expect([await keyIn(), await names()]).toEqual([another, ['master.key']])
    const again = await openEmbedded(folder)
    expect(await sealedWithOther(again, again.masterKey)).toEqual([])
    await again.close()
  })

  it('keys rewrap keeps both master keys while there is a key that neither can decrypt', async () => {
    await usher('database create acme/intact')
    const store = await openEmbedded(folder)
    const { masterKey, newMasterKey } = { masterKey: store.masterKey, newMasterKey: randomBytes(32) }
    const [row] = await store.prisma.signingKey.findMany({ orderBy: { databaseId: 'asc' } })
    const { databaseId = '', sealedPrivateKey } = row ?? {}
    const damage = (data: object) => store.prisma.signingKey.updateMany({ where: { databaseId }, data })
    await damage({ sealedPrivateKey: new Uint8Array(64) })
    expect((await rewrapKeys(store, newMasterKey)).unreadable).toHaveLength(1)
    expect([await keyIn(), await keyIn('master.key.next')]).toEqual(
      [masterKey, newMasterKey].map((key) => key.toString('base64')),
    )
    const { keyFile } = await connectKeyFile()
    await expect(rewrapKeys({ ...store, keyFile }, randomBytes(32))).rejects.toThrow(
      'An earlier keys rewrap has not finished',
    )
    expect(await requireMasterKey({ ...store, keyFile })).toMatchObject({ masterKey, newMasterKey })
    expect(await names()).toEqual(['master.key', 'master.key.next'])
    await damage({ sealedPrivateKey })
    expect((await rewrapKeys({ ...store, keyFile }, newMasterKey)).unreadable).toEqual([])
    await store.close()
    expect([await keyIn(), await names()]).toEqual([newMasterKey.toString('base64'), ['master.key']])
  })
})
