import { spawnSync } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FolderInUseError } from '../../server/store/errors.js'
import { startChild } from '../support/child.js'
import { openEmbedded } from '../support/open-store.js'
import { createDataFolder } from '../support/store.js'

let template: string
let scratch: string
let count = 0
/** A new migrated store for each test. */
let folder: string

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'usher-embedded-'))
  template = await createDataFolder()
})
beforeEach(() => {
  folder = join(scratch, String(++count))
  cpSync(template, folder, { recursive: true })
})
afterAll(() => Promise.all([template, scratch].map((path) => rm(path, { recursive: true }))))

const row = { id: '019a5d3c-7b1e-7c53-8f11-9d5c2f6b7a10', slug: 'kept', createdAt: new Date(0) }
const built = new URL('../../server/dist/store/connect-embedded.js', import.meta.url)

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
const filesIn = async (path: string) =>
  (await readdir(path, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

/**
 * Starts a process that opens the folder, writes a row, prints `holds` and keeps the folder open until it is killed.
 */
const startHolder = (path = folder, ...wrapper: string[]) => {
  const [program = '', ...args] = [
    ...wrapper,
    process.execPath,
    '--input-type=module',
    '--eval',
    `import { connectEmbedded } from ${JSON.stringify(built.href)}
     try {
       const store = await connectEmbedded(${JSON.stringify(path)})
       await (await store.loadPrisma()).workspace.create({ data: ${JSON.stringify(row)} })
       console.log('holds')
       process.stdin.resume()
     } catch (error) {
       console.log(error.constructor.name, error.message)
     }`,
  ]
  return startChild(program, args)
}

/** Command prefix that runs a program in a new network namespace, as a container does. */
const isolated = ['unshare', '--user', '--map-root-user', '--net']
const canIsolate = spawnSync('unshare', [...isolated.slice(1), 'true']).status === 0

describe('the folder', () => {
  it('an open folder and its files are closed to other users, with a warning', async () => {
    await chmod(folder, 0o755)
    for (const file of await filesIn(folder)) await chmod(file, 0o666)
    const warnings: string[] = []
    const store = await openEmbedded(folder, undefined, (message) => warnings.push(message))
    expect(warnings).toEqual([expect.stringMatching(/had mode 755\. It is now 700/)])
    const modes = async () => Promise.all((await filesIn(folder)).map(async (file) => modeOf(file)))
    expect(await modeOf(folder)).toBe('700')
    expect(new Set(await modes())).toEqual(new Set(['600']))
    await store.close()
    await (await openEmbedded(folder, undefined, (message) => warnings.push(message))).close()
    expect(warnings).toHaveLength(1)
  })

  it('the folder stays locked if only queries refer to the store', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage: () => void = runInNewContext('gc')
    const { query } = await openEmbedded(folder)
    // What is unreachable is collected in a later turn than the one that opened it.
    for (let turn = 0; turn < 3; turn++) {
      await setImmediate()
      collectGarbage()
    }
    await expect(openEmbedded(folder)).rejects.toThrow(FolderInUseError)
    expect(await query('SELECT 1 AS one', [])).toEqual([{ one: 1 }])
  })

  it('rows and master key are kept when the folder is reopened', async () => {
    const store = await openEmbedded(folder)
    await store.prisma.workspace.create({ data: row })
    await store.close()
    const again = await openEmbedded(folder)
    expect(await again.prisma.workspace.findMany()).toEqual([row])
    expect(again.masterKey).toEqual(store.masterKey)
    await again.close()
  })

  it('the folder cannot be opened twice, also not through a symbolic link', async () => {
    const store = await openEmbedded(folder)
    const link = `${folder}-link`
    await symlink(folder, link)
    await expect(openEmbedded(folder)).rejects.toThrow(FolderInUseError)
    await expect(openEmbedded(link)).rejects.toThrow(FolderInUseError)
    const { stdout } = await startHolder(link).ended
    expect(stdout).toBe(
      `FolderInUseError ${link} is in use by another process, such as a running server. Stop the server, then run the command again\n`,
    )
    await store.close()
    await (await openEmbedded(folder)).close()
  })

  it.runIf(canIsolate)('the folder cannot be opened by a process in another network namespace', async () => {
    const store = await openEmbedded(folder)
    expect((await startHolder(folder, ...isolated).ended).stdout).toContain('FolderInUseError')
    await store.close()
  })

  it('the folder opens with all written rows after its process was killed', async () => {
    const holder = startHolder()
    await holder.printed('holds')
    await expect(openEmbedded(folder)).rejects.toThrow(FolderInUseError)
    holder.signal('SIGKILL')
    await holder.ended
    const store = await openEmbedded(folder)
    expect(await store.prisma.workspace.findMany()).toEqual([row])
    await store.close()
  })
})

describe('the master key', () => {
  it('the master key is stored in a file that only its owner can read', async () => {
    const { masterKey, close } = await openEmbedded(folder)
    const file = join(folder, 'master.key')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(Buffer.from(await readFile(file, 'utf8'), 'base64')).toEqual(masterKey)
    expect(masterKey).toHaveLength(32)
    await close()
  })

  it('no master key is created if one is given', async () => {
    const given = Buffer.alloc(32, 7)
    const { masterKey, close } = await openEmbedded(folder, given)
    expect(masterKey).toEqual(given)
    expect(existsSync(join(folder, 'master.key'))).toBe(false)
    await close()
  })

  it('an invalid key file is rejected, and the folder is unlocked', async () => {
    await writeFile(join(folder, 'master.key'), 'short\n')
    await expect(openEmbedded(folder)).rejects.toThrow(/master\.key must contain 32 bytes as base64$/)
    await rm(join(folder, 'master.key'))
    await (await openEmbedded(folder)).close()
  })
})
