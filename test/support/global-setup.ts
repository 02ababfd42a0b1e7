import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { distribute } from '../../server/store/citus/distribute.js'
import { loadTemplate } from '../../server/store/in-memory.js'
import { migrate } from '../../server/store/migrate.js'
import { startCluster } from '../lab/citus/cluster.js'
import { findChromium } from './chromium.js'
import { closeToConnections, createCitusDatabase, nodesOf, query } from './citus.js'
import { openPostgres } from './open-store.js'
import './liftoff.js'
import { findPgBouncer, startPgBouncer } from '../instances/pgbouncer.js'
import { createMemoryFolder } from './memory-folder.js'
import { type Cluster, createCluster, databaseUrl, startPostgres } from './postgres-server.js'

declare module 'vitest' {
  interface ProvidedContext {
    storeKind: 'embedded' | 'postgres'
    /** Path of a file with a migrated embedded store, which tests open in memory. */
    embeddedTemplate: string
    /** Data and binaries from which a test starts its own Postgres server. */
    postgresCluster: Cluster
    /** URL of a Postgres server for the databases of tests. Its database `usher_template` is migrated. */
    postgresUrl: string
    /** The same, followed where the server is the coordinator of a Citus cluster by its workers. */
    postgresNodes: string[]
    /** The same server through PgBouncer, or empty if PgBouncer is not installed. */
    pgbouncerUrl: string
    /** Number of processes behind a proxy that serve the requests of a test. 0: only the process of the test. */
    instances: number
    /** Whether tests run in their long form. */
    isLab: boolean
    /** Path of Chromium for the browser tests, or empty if it is not installed. */
    chromium: string
  }
}

/** Commits do not wait for the disk, because no test cuts the power. */
const notDurable = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/** Creates one migrated store of each kind, which tests copy. */
export async function setup(project: TestProject) {
  // TypeScript's compiler would spend a quarter of its CPU time on collecting garbage.
  // biome-ignore lint/style/noProcessEnv: a setting of Go for the processes of tests
  process.env.GOGC ??= '400'
  const mailsBefore = await ownMails()
  const folder = await createRunFolder(project)
  const embeddedTemplate = join(folder, 'embedded.tar')
  project.provide('embeddedTemplate', embeddedTemplate)
  const [stopServers] = await Promise.all([
    startServers(project, folder),
    loadTemplate().then((template) => writeFile(embeddedTemplate, template.stream())),
  ])

  const chromium = findChromium()
  project.provide('chromium', chromium)
  if (!chromium) process.stderr.write('No Chromium on the PATH: the browser tests are skipped.\n')

  return async () => {
    await stopServers()
    await rm(folder, { recursive: true })
    const added = (await ownMails()).filter((name) => !mailsBefore.includes(name))
    if (added.length > 0) throw new Error(`tests wrote into the developer's .usher/mail: ${added.join(', ')}`)
  }
}

/** Returns the names of the mails in the developer's own data folder. */
const ownMails = () => readdir(join('.usher', 'mail')).catch((): string[] => [])

/**
 * Creates the folder of a run. Temporary files of the short form are in memory if possible: to copy a store to a disk
 * takes up to a second of CPU time.
 */
async function createRunFolder(project: TestProject) {
  const inMemory = project.vite.config.mode === 'test' ? await createMemoryFolder() : undefined
  // biome-ignore lint/style/noProcessEnv: the temporary folder of Node and of the processes of tests
  if (inMemory) process.env.TMPDIR = inMemory
  return inMemory ?? mkdtemp(join(tmpdir(), 'usher-test-'))
}

/** Starts Postgres with a migrated database, and PgBouncer before it. */
async function startServers(project: TestProject, folder: string) {
  const cluster = await createCluster(folder)
  project.provide('postgresCluster', cluster)
  // biome-ignore lint/style/noProcessEnv: the settings of the tests
  const { TEST_DATABASE_URL: given, TEST_DISTRIBUTED } = process.env
  const citus = project.vite.config.mode === 'distributed' && !given ? await startCluster() : undefined
  const server = given || citus ? undefined : await startPostgres(notDurable, undefined, cluster)
  const postgresUrl = given ?? (await citus?.createDatabase('tests')) ?? server?.url ?? ''
  const postgresNodes = citus || TEST_DISTRIBUTED ? await nodesOf(postgresUrl) : [postgresUrl]
  await createPostgresTemplate(postgresNodes)
  project.provide('postgresUrl', postgresUrl)
  project.provide('postgresNodes', postgresNodes)

  const executable = findPgBouncer()
  const pgbouncer = executable ? await startPgBouncer(executable, postgresUrl) : undefined
  project.provide('pgbouncerUrl', pgbouncer?.url ?? '')
  if (!executable)
    process.stderr.write('No PgBouncer: several servers are tested without it, its own tests are skipped.\n')
  return async () => {
    await pgbouncer?.stop()
    await server?.stop()
    await citus?.stop()
  }
}

/** On a Citus cluster the template is distributed. */
async function createPostgresTemplate(nodes: readonly string[]) {
  const [url = '', ...workers] = nodes
  const name = 'usher_template'
  for (const node of nodes) {
    await query(node, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    if (workers.length === 0) await query(node, `CREATE DATABASE ${name}`)
  }
  if (workers.length > 0) await createCitusDatabase(nodes, name)
  const template = await openPostgres(databaseUrl(url, name), Buffer.alloc(32))
  await migrate(template)
  if (workers.length > 0) await distribute(template)
  await template.close()
  await closeToConnections(nodes, name)
}
