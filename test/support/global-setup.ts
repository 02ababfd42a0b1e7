import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { storeOver } from '../../server/store/embedded.js'
import { migrate } from '../../server/store/migrate.js'
import { openPostgres } from '../../server/store/postgres.js'
import { findChromium } from './chromium.js'
import { findPgBouncer, startPgBouncer } from './pgbouncer.js'
import { type Cluster, databaseUrl, makeCluster, startPostgres } from './postgres-server.js'

declare module 'vitest' {
  interface ProvidedContext {
    storeKind: 'embedded' | 'postgres'
    /** Path of a file with a migrated embedded store, which tests open in memory. */
    embeddedTemplate: string
    /** Data and binaries from which a test starts a Postgres server of its own. */
    postgresCluster: Cluster
    /** URL of a Postgres server for the databases of tests. Its database `usher_template` is migrated. */
    postgresUrl: string
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
  const folder = await mkdtemp(join(tmpdir(), 'usher-test-'))
  const embeddedTemplate = join(folder, 'embedded.tar')
  project.provide('embeddedTemplate', embeddedTemplate)
  const [stopServers] = await Promise.all([
    startServers(project, folder),
    makeEmbeddedTemplate(embeddedTemplate),
  ])

  const chromium = findChromium()
  project.provide('chromium', chromium)
  if (!chromium) process.stderr.write('No Chromium on the PATH: the browser tests are skipped.\n')

  return async () => {
    await stopServers()
    await rm(folder, { recursive: true })
  }
}

/** Starts Postgres with a migrated database, and PgBouncer before it. */
async function startServers(project: TestProject, folder: string) {
  const cluster = await makeCluster(folder)
  project.provide('postgresCluster', cluster)
  // biome-ignore lint/style/noProcessEnv: the one setting of the tests
  const given = process.env.TEST_DATABASE_URL
  const server = given ? undefined : await startPostgres(notDurable, undefined, cluster)
  const postgresUrl = given ?? server?.url ?? ''
  await makePostgresTemplate(postgresUrl)
  project.provide('postgresUrl', postgresUrl)

  const executable = findPgBouncer()
  const pgbouncer = executable ? await startPgBouncer(executable, postgresUrl) : undefined
  project.provide('pgbouncerUrl', pgbouncer?.url ?? '')
  if (!executable)
    process.stderr.write('No PgBouncer: several servers are tested without it, its own tests are skipped.\n')
  return async () => {
    await pgbouncer?.stop()
    await server?.stop()
  }
}

async function makeEmbeddedTemplate(file: string) {
  const pglite = await PGlite.create()
  const store = storeOver(pglite, Buffer.alloc(32))
  await migrate(store.prisma)
  await writeFile(file, Buffer.from(await (await pglite.dumpDataDir('none')).arrayBuffer()))
  await store.close()
}

async function makePostgresTemplate(url: string) {
  const client = new Client(url)
  await client.connect()
  await client.query('DROP DATABASE IF EXISTS usher_template')
  await client.query('CREATE DATABASE usher_template')
  await client.end()
  const template = openPostgres(databaseUrl(url, 'usher_template'), Buffer.alloc(32), () => undefined)
  await migrate(template.prisma)
  await template.close()
}
