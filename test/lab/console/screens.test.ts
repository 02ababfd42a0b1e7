import pg from 'pg'
import { expect } from 'vitest'
import { it as consoleTest } from '../../support/console.js'
import { median, percentile, table } from '../bench/figures.js'
import { createLargeDatabase, emailText, idText } from '../bench/large-database.js'
import { report, times } from '../form.js'

// How long a server takes for what the screens of the console read, in a large database of a large workspace.

const users = times(2_000, 5_000_000)
const databases = times(200, 20_000)
const actions = times(200, 100_000)
const requests = times(2, 300)

const it = consoleTest
  .extend('storeKind', { scope: 'worker' }, 'postgres')
  .extend('owner', { scope: 'file' }, ({ console }) => console.owner())
  .extend('large', { scope: 'file' }, async ({ usher, store, owner }) => {
    const url = String(store.settings?.DATABASE_URL)
    await owner.send('POST', '/operator/workspaces', { slug: 'bench' })
    const large = await createLargeDatabase(usher.store, url, users)
    const client = new pg.Client(url)
    await client.connect()
    const add = (into: string, select: string) => client.query(`INSERT INTO usher.${into} ${select}`)
    await add(
      'database (id, workspace_id, name, created_at)',
      `SELECT gen_random_uuid(), id, 'app-' || n, now() FROM usher.workspace, generate_series(1, ${databases}) AS n
      WHERE slug = 'bench'`,
    )
    await add(
      'daily_statistics (database_id, day, sign_ups, logins, failures, throttled, mails, mails_failed)',
      `SELECT id, current_date - n, 1, n, 1, 0, 1, 0 FROM usher.database, generate_series(0, 29) AS n`,
    )
    await add(
      `operator_action (database_id, id, operator_id, operator_email, action, workspace, database, target, request_id,
        created_at, outcome)`,
      `SELECT d.id, gen_random_uuid(), '${owner.id}', 'owner@example.com', 'changeUser', 'bench', 'large',
        '01a1fc6e-0000-7000-8000-' || lpad(to_hex(n), 12, '0'), 'request', now() - n * interval '1 minute', 'done'
      FROM usher.database AS d, generate_series(1, ${actions}) AS n WHERE is_operators`,
    )
    await client.query('VACUUM ANALYZE')
    await client.end()
    return large
  })

const random = (below: number) => Math.floor(Math.random() * below)
const path = '/operator/workspaces/bench/databases/large'
const management = '/workspaces/bench/databases/large/management'
const randomUser = () => `${management}/users/${idText(random(users))}`

/** What the screens request, by name. */
const reads: Readonly<Record<string, () => string>> = {
  listWorkspaces: () => '/operator/workspaces',
  'listDatabases, a page': () => '/operator/workspaces/bench/databases',
  'listDatabases by the start of a name': () =>
    `/operator/workspaces/bench/databases?prefix=app-${random(100)}`,
  getStatistics: () => `${path}/statistics?days=90`,
  getSettings: () => `${path}/settings`,
  listKeys: () => `${path}/keys`,
  listApiKeys: () => `${path}/api-keys`,
  listConnectionDetails: () => `${path}/connections`,
  listDeliveries: () => `${path}/deliveries`,
  'listUsers, the first page': () => `${management}/users`,
  'listUsers, a page in the middle': () => `${management}/users?after=${idText(random(users))}`,
  'listUsers, the latest first': () => `${management}/users?order=-createdAt`,
  'listUsers by the start of the address': () =>
    `${management}/users?emailPrefix=${emailText(random(users)).slice(0, 11)}`,
  'listUsers by the start of the name': () => `${management}/users?namePrefix=ada`,
  'listTenants by the start of the name': () => `${management}/tenants?namePrefix=tenant`,
  'listUsers by an external ID that nobody has': () => `${management}/users?externalId=none-${random(100)}`,
  getUser: randomUser,
  listUserSessions: () => `${randomUser()}/sessions`,
  listUserFactors: () => `${randomUser()}/factors`,
  listUserIdentities: () => `${randomUser()}/identities`,
  'listTenants, a page': () => `${management}/tenants`,
  'listMembers of a tenant with a tenth of the users': () => `${management}/tenants/${idText(0)}/members`,
  listOperators: () => '/operator/operators',
  'listActions, a page': () => '/operator/actions',
}

it('every screen reads its data', { timeout: times(120_000, 3_600_000) }, async ({ owner, large }) => {
  const rows: (string | number)[][] = []
  for (const [name, urlOf] of Object.entries(reads)) {
    const milliseconds: number[] = []
    for (let sent = 0; sent <= requests; sent++) {
      const url = urlOf()
      const startedAt = performance.now()
      const { statusCode, body } = await owner.send('GET', url)
      expect([url, statusCode, statusCode === 200 ? '' : body]).toEqual([url, 200, ''])
      // The first one warms up.
      if (sent > 0) milliseconds.push(performance.now() - startedAt)
    }
    rows.push([name, median(milliseconds), percentile(milliseconds, 0.99)])
  }
  report(`${large.users} users, ${databases} databases, ${Math.round(large.bytes / 2 ** 20)} MiB`)
  report(table(['', 'p50 ms', 'p99 ms'], rows))
})
