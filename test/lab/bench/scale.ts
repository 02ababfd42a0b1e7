import { randomInt } from 'node:crypto'
import { loadavg } from 'node:os'
import pg from 'pg'
import { listMemberRows } from '../../../server/store/queries/listed-members.js'
import { findSessionsOfUser, listUsersByPrefix } from '../../../server/store/queries/managed-user.js'
import { listTenantRows } from '../../../server/store/queries/management/tenants.js'
import { listAccountRows } from '../../../server/store/queries/management/users.js'
import { findRowsFrom, keptEvents } from '../../../server/store/queries/numbered-lists.js'
import type { Page } from '../../../server/store/queries/page.js'
import { type OpenStore, openPostgres } from '../../support/open-store.js'
import { genericPlanOf, type Sent } from '../plans/statement-plans.js'
import { compareOperations } from './at-size.js'
import type { Say } from './bench.js'
import { median, round, table } from './figures.js'
import {
  createLargeDatabase,
  emailText,
  eventCursor,
  idText,
  type LargeDatabase,
  pageItems,
  sessionsOfUser,
} from './large-database.js'
import { closedLoop, requestBytes, warmUpSeconds } from './load.js'
import type { Server, World } from './world.js'

const rounds = 5
const listSeconds = 0.5
/** Users whom the compared requests read. */
const users = 100

/**
 * Measures the lists of the management API in a database with many users: the first page, and the ten thousandth one if
 * there are 5 million users. Compares the rates of operations with those in a database of a thousand users, and the rate of
 * `getUser` with that of `me`.
 */
export async function scale(world: World, count: number, say: Say) {
  const masterKey = Buffer.from(world.env.USHER_MASTER_KEY, 'base64')
  const store = await openPostgres(world.env.DATABASE_URL, masterKey, { statementMilliseconds: 0 })
  say(`generating ${count} users`)
  const start = performance.now()
  const large = await createLargeDatabase(store, world.env.DATABASE_URL, count)
  say(`${((performance.now() - start) / 1000).toFixed(0)} s, ${(large.bytes / 2 ** 30).toFixed(2)} GiB`)
  const server = await world.startUsher({ WORKERS: '1', TRUST_PROXY: '1' })
  const memory = [await server.memoryMebibytes()]
  try {
    const page = Math.floor(count / 10 / pageItems)
    const lists: (string | number)[][] = []
    for (const list of listsOf(store, large.databaseId, page)) {
      const times = await timesOf(server, large, list)
      const row = [list.name, ...times, ...(await plansOf(world.env.DATABASE_URL, list))]
      say(row.map((cell) => (typeof cell === 'number' ? round(cell) : cell)).join(', '))
      lists.push(row)
    }
    memory.push(await server.memoryMebibytes())
    const head = ['first page ms', `page ${page} ms`, 'ratio', 'buffers', `of page ${page}`, 'reads']
    const [before = 0, after = 0] = memory.map(Math.round)
    const rates = await compareRates(server, large, say)
    const operations = await compareOperations(
      server,
      {
        name: `${count} users`,
        // Each eighth user is disabled.
        pick: () => ({ prefix: large.prefix, email: emailText(8 * randomInt(count / 8)) }),
      },
      say,
    )
    await store.query('UPDATE usher.login_failures SET last_failure_at = now()', [])
    return [
      table(['list', ...head], lists),
      operations,
      rates,
      'While logins fail, so that `getUser` reads their counts:',
      await compareRates(server, large, say),
      `Memory of the server: ${before} MiB after its start, ${after} MiB after the lists.`,
      `Load of the machine: ${loadavg().map(round).join(', ')}.`,
    ].join('\n\n')
  } finally {
    await server.stop()
    await store.close()
  }
}

interface List {
  name: string
  path: string
  /** The cursor of the later page. */
  after: string
  /** Runs the statement of the list. */
  read: (page: Page<string>) => Promise<unknown>
}

/** Returns the lists, each with the cursor of a later page. */
function listsOf(store: OpenStore, databaseId: string, page: number): List[] {
  const items = (page - 1) * pageItems
  const after = idText(items - 1)
  const tenantId = idText(0)
  const users = (filter: object) => (of: Page<string>) =>
    listAccountRows(store, { databaseId, ...filter }, of)
  const session = { databaseId, id: idText(1) }
  return [
    { name: 'users', path: 'users', after, read: users({}) },
    { name: 'users of a tenant', path: `users?tenant=${tenantId}`, after, read: users({ tenantId }) },
    {
      name: 'disabled users',
      path: 'users?disabled=true',
      after: idText(items * 8 - 1),
      read: users({ isDisabled: true }),
    },
    { name: 'enabled users', path: 'users?disabled=false', after, read: users({ isDisabled: false }) },
    {
      name: 'users by a prefix',
      path: 'users?emailPrefix=user',
      after: Buffer.from(emailText(items - 1)).toString('base64url'),
      read: ({ after, limit }) =>
        listUsersByPrefix(
          store,
          { databaseId, prefix: 'user' },
          { limit, ...(after && { after: emailText(items - 1) }) },
        ),
    },
    {
      name: 'members',
      path: `tenants/${tenantId}/members`,
      after,
      read: (of) => listMemberRows(store, { databaseId, tenantId }, of),
    },
    { name: 'tenants', path: 'tenants', after, read: (of) => listTenantRows(store, { databaseId }, of) },
    {
      name: 'events',
      path: 'events',
      after: eventCursor(items),
      read: ({ after, limit }) =>
        findRowsFrom(store, { list: keptEvents, databaseId }, { seq: after ? items : 0, limit }),
    },
    {
      // The last page that there can be.
      name: 'sessions of a user',
      path: `users/${session.id}/sessions`,
      after: idText(sessionsOfUser + pageItems - 1),
      read: ({ after, limit }) => findSessionsOfUser(store, session, { now: new Date(), after, limit }),
    },
  ]
}

/** Returns the milliseconds of the first page and of the later one, and their ratio. */
async function timesOf({ port }: Server, { key, prefix }: LargeDatabase, { path, after }: List) {
  const paths = [path, `${path}${path.includes('?') ? '&' : '?'}after=${after}`]
  const turns: number[][] = [[], []]
  for (let turn = 0; turn <= rounds; turn++)
    for (const [index, each] of paths.entries()) {
      const request = requestBytes('GET', `${prefix}/management/${each}`, { token: key })
      const { latencies } = await closedLoop(port, listSeconds, () => request, 1)
      const good = latencies.get(200)
      if (!good || latencies.size > 1) throw new Error(`${each} returned ${[...latencies.keys()]}`)
      // The first turn warms up.
      if (turn > 0) turns[index]?.push(median(good))
    }
  const [first = Number.NaN, later = Number.NaN] = turns.map(median)
  return [first, later, later / first]
}

/** Returns the buffers that the generic plans of both pages read, and their indexes. */
async function plansOf(url: string, { read, after }: List) {
  const client = new pg.Client(url)
  await client.connect()
  const buffers: number[] = []
  const names = new Set<string>()
  try {
    for (const page of [{ limit: pageItems + 1 }, { limit: pageItems + 1, after }]) {
      const plans = []
      for (const statement of await statementsOf(() => read(page)))
        plans.push(await genericPlanOf(client, statement))
      buffers.push(plans.reduce((sum, plan) => sum + (plan.buffers ?? 0), 0))
      for (const { indexes, scanned } of plans)
        for (const name of [...indexes, ...scanned.map((each) => `all of ${each}`)]) names.add(name)
    }
  } finally {
    await client.end()
  }
  return [...buffers.map(String), [...names].join(', ')]
}

/** Returns the statements that the driver sends for some work, also those of Prisma. */
async function statementsOf(work: () => Promise<unknown>) {
  const sent: Sent[] = []
  const { prototype } = pg.Client
  const { query } = prototype
  prototype.query = function (this: pg.Client, ...given: [never]) {
    const { text, values = [] } = given[0] as Partial<Sent>
    if (text) sent.push({ text, values })
    return Reflect.apply(query, this, given)
  } as typeof query
  try {
    await work()
  } finally {
    prototype.query = query
  }
  return sent.filter(({ text }) => /^\s*SELECT/.test(text))
}

/** Compares the rates of `getUser` and `me` for the same users, over 64 connections in a closed loop. */
async function compareRates(server: Server, { key, prefix }: LargeDatabase, say: Say) {
  const tokens: string[] = []
  // Each eighth user is disabled.
  const numbers = Array.from({ length: users }, (_, index) => index * 8)
  for (const number of numbers) tokens.push(await server.logIn(prefix, emailText(number)))
  const requests = {
    me: tokens.map((token) => requestBytes('GET', `${prefix}/users/me`, { token })),
    getUser: numbers.map((number) =>
      requestBytes('GET', `${prefix}/management/users/${idText(number)}`, { token: key }),
    ),
  }
  const turns = { me: [] as number[], getUser: [] as number[] }
  for (let turn = 0; turn <= rounds; turn++) {
    say(`me and getUser, round ${turn} of ${rounds}`)
    for (const name of ['me', 'getUser'] as const) {
      let sent = 0
      const next = () => requests[name][sent++ % users] ?? ''
      const { latencies, seconds } = await closedLoop(server.port, turn ? 3 : warmUpSeconds, next, 64)
      if (latencies.size !== 1) throw new Error(`${name} returned ${[...latencies.keys()]}`)
      if (turn > 0) turns[name].push((latencies.get(200)?.length ?? 0) / seconds)
    }
  }
  const ratio = median(turns.getUser.map((rate, index) => rate / (turns.me[index] ?? Number.NaN)))
  return table(
    ['64 connections, one process', 'requests/s', 'ratio'],
    [
      ['me', median(turns.me), ''],
      ['getUser', median(turns.getUser), ratio],
    ],
  )
}
