import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { requireSupported } from '../../server/store/require-supported.js'
import { runUsher } from '../support/command-line.js'
import { openPostgres } from '../support/open-store.js'
import { createPostgresDatabase } from '../support/store.js'

const masterKey = Buffer.alloc(32)

/** Creates a database with settings, and returns its store, its URL and a superuser's connection to it. */
async function newDatabase(options = '') {
  const { url, drop } = await createPostgresDatabase('template0')
  const control = new Client(url)
  await control.connect()
  const name = `${new URL(url).pathname.slice(1)}_supported`
  await control.query(`CREATE DATABASE ${name} TEMPLATE template0 ${options}`)
  const own = new URL(url)
  own.pathname = name
  const store = await openPostgres(own.href, masterKey)
  onTestFinished(async () => {
    await store.close()
    await control.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await control.end()
    await drop()
  })
  return { name, control, store, url: own.href }
}

it('migrate refuses a database that is not in UTF-8', async () => {
  const { url } = await newDatabase("ENCODING 'SQL_ASCII' LOCALE 'C'")
  const env = { DATABASE_URL: url, USHER_MASTER_KEY: masterKey.toString('base64') }
  const { code, stderr } = await runUsher(['migrate'], env)
  expect([code, stderr]).toEqual([
    1,
    'usher: the Postgres database of DATABASE_URL has the encoding SQL_ASCII. Create one with: createdb --encoding UTF8 --template template0 NAME\n',
  ])
})

it('a store warns if its database has another version of the collation than the server', async () => {
  const { name, control, store } = await newDatabase("ENCODING 'UTF8' LOCALE 'C'")
  expect(await requireSupported(store)).toEqual([])
  await control.query('SET allow_system_table_mods = on')
  await control.query("UPDATE pg_database SET datcollversion = '1' WHERE datname = $1", [name])
  expect(await requireSupported(store)).toEqual([expect.stringContaining('REINDEX DATABASE')])
})

it('a server of PostgreSQL 14 is refused by its version', async () => {
  const query = async () => [{ version: '14.11', major: 14, encoding: 'UTF8' }] as never[]
  await expect(requireSupported({ query })).rejects.toThrow(
    'DATABASE_URL names PostgreSQL 14.11. Usher needs version 15 or newer',
  )
})
