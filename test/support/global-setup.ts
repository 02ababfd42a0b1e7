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
import { databaseUrl, type PostgresServer, startPostgres } from './postgres-server.js'

declare module 'vitest' {
  interface ProvidedContext {
    storeKind: 'embedded' | 'postgres'
    /** A file that holds a migrated embedded store, to be opened in memory. */
    embeddedTemplate: string
    /** Address of a Postgres server that the tests may make databases on; database `usher_template` is migrated. */
    postgresUrl: string
    /** The same server through PgBouncer; empty where there is none. */
    pgbouncerUrl: string
    /** How many processes behind a proxy serve the requests of a test; 0: none but the test's own. */
    instances: number
    /** Whether tests run in their long form. */
    isLab: boolean
    /** Path of the Chromium that the browser tests drive; empty where there is none. */
    chromium: string
  }
}

/** Commits do not wait for the disk: nobody cuts the power in a test. */
const notDurable = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/** Makes one migrated store of each kind, from which each test file takes a copy. */
export async function setup(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'usher-test-'))
  const embeddedTemplate = join(folder, 'embedded.tar')
  await makeEmbeddedTemplate(embeddedTemplate)
  project.provide('embeddedTemplate', embeddedTemplate)

  // biome-ignore lint/style/noProcessEnv: the one setting of the tests
  const given = process.env.TEST_DATABASE_URL
  const server: PostgresServer | undefined = given ? undefined : await startPostgres(notDurable)
  const postgresUrl = given ?? server?.url ?? ''
  await makePostgresTemplate(postgresUrl)
  project.provide('postgresUrl', postgresUrl)

  const executable = findPgBouncer()
  const pgbouncer = executable ? await startPgBouncer(executable, postgresUrl) : undefined
  project.provide('pgbouncerUrl', pgbouncer?.url ?? '')
  if (!executable)
    process.stderr.write('No PgBouncer: several servers are tested without, its tests skipped.\n')

  const chromium = findChromium()
  project.provide('chromium', chromium)
  if (!chromium) process.stderr.write('No Chromium on the PATH: the browser tests are skipped.\n')

  return async () => {
    await pgbouncer?.stop()
    await server?.stop()
    await rm(folder, { recursive: true })
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
