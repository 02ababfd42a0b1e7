import { randomBytes } from 'node:crypto'
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createSecretLookup } from '../../server/domain/keys/database-secrets.js'
import { usher as usherProcess } from '../support/child.js'
import { runUsher } from '../support/command-line.js'
import { startOperator } from '../support/operator.js'
import { createDataFolder, openPostgresCopy } from '../support/store.js'

const newKey = () => randomBytes(32).toString('base64')
const wrongKey = 'USHER_MASTER_KEY did not seal the signing keys of this store'

/** Starts an operator on a store of its own, because the test replaces the master key. */
async function startOwnOperator() {
  const store = await openPostgresCopy()
  const usher = await startOperator(store)
  onTestFinished(() => usher.close().then(store.close))
  return usher
}

describe('keys rewrap', () => {
  it('keys rewrap re-encrypts all keys, so a server starts only with the new master key', async () => {
    const usher = await startOwnOperator()
    const { id, path, ...database } = await usher.newDatabase()
    await usher.newDatabase()
    const { token } = await database.signedUp()
    const mac = await createSecretLookup(
      usher.store,
      Date.now,
    )(id).then((each) => each.sign('refresh_token', 'a'))
    const next = { USHER_NEW_MASTER_KEY: newKey() }
    const { stdout, audited } = await usher.operator('keys rewrap', '', next)
    expect(stdout).toBe(
      'Re-encrypted keys: 2. Set USHER_MASTER_KEY to the new master key before you run anything else.\n',
    )
    expect(audited).toMatchObject([{ audit: 'keys.rewrapped' }])

    expect(await usherProcess(['serve'], usher.env)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `usher: ${wrongKey}\n`,
    })
    expect(await usher.outcome('keys rewrap', '', next)).toBe(`1 usher: ${wrongKey}\n`)
    const env = { USHER_MASTER_KEY: next.USHER_NEW_MASTER_KEY }
    expect(await usher.operator(`keys list ${path}`, '', env)).toMatchObject({ code: 0 })

    const server = await usher.otherServer(Buffer.from(next.USHER_NEW_MASTER_KEY, 'base64'))
    const { me } = server.client(database.workspaceSlug, database.databaseName)
    expect((await me(token.jwt)).statusCode).toBe(200)
    const secrets = await server.context.findSecrets(id)
    expect(secrets.verify(mac, 'refresh_token', 'a')).toBe(true)
    await server.close()
  })

  it('keys rewrap changes nothing if one key cannot be decrypted', async () => {
    const usher = await startOwnOperator()
    const { id, path } = await usher.newDatabase()
    await usher.newDatabase()
    await usher.store.prisma.signingKey.updateMany({
      where: { databaseId: id },
      data: { sealedPrivateKey: new Uint8Array(64), createdAt: new Date(0) },
    })
    const keys = () => usher.store.prisma.signingKey.findMany({ orderBy: { databaseId: 'asc' } })
    const before = await keys()
    expect(await usher.outcome('keys rewrap', '', { USHER_NEW_MASTER_KEY: newKey() })).toBe(
      '1 usher: the old master key did not seal the signing keys of this store\n',
    )
    expect(await keys()).toEqual(before)
    expect(await usher.operator(`keys list ${path}`)).toMatchObject({ code: 0 })
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

  it('the key file contains the new master key after keys rewrap', async () => {
    const key = newKey()
    const { stdout } = await usher('keys rewrap', { USHER_NEW_MASTER_KEY: key })
    expect(stdout).toBe('Re-encrypted keys: 1. The file master.key contains the new master key.\n')
    expect([await keyIn(), await names()]).toEqual([key, ['master.key']])
    expect(await usher('keys list acme/app')).toMatchObject({ code: 0 })
  })

  it('the key file is replaced at the next start if keys rewrap was interrupted before that', async () => {
    const key = newKey()
    await usher('keys rewrap', { USHER_NEW_MASTER_KEY: key })
    await copyFile(inFolder('master.key'), inFolder('master.key.next'))
    await copyFile(inFolder('kept'), inFolder('master.key'))
    expect(await usher('keys list acme/app')).toMatchObject({ code: 0 })
    expect([await keyIn(), await names()]).toEqual([key, ['master.key']])
  })

  it('the key file is kept if keys rewrap was interrupted before it re-encrypted the keys', async () => {
    await writeFile(inFolder('master.key.next'), newKey())
    expect(await usher('keys list acme/app')).toMatchObject({ code: 0 })
    expect(await keyIn()).toBe(await keyIn('kept'))
    const key = newKey()
    expect(await usher('keys rewrap', { USHER_NEW_MASTER_KEY: key })).toMatchObject({ code: 0 })
    expect([await keyIn(), await names()]).toEqual([key, ['master.key']])
  })
})
