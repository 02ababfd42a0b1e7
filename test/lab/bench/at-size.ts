import { randomInt } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Say } from './bench.js'
import { median, round, table } from './figures.js'
import { emailText, type LargeDatabase } from './large-database.js'
import { type Next, requestBytes } from './load.js'
import { takeTurn } from './turn.js'
import { password, type Server } from './world.js'

const rounds = 7
const seconds = 2
const connections = 8
const sizes = ['small', 'large'] as const
/** Users with a token or a session in each database. */
const loggedIn = 200

/**
 * Compares the rates of operations in a large database with those in a database of a thousand users, on the same server and
 * Postgres. The users of logins are chosen at random.
 */
export async function compareOperations(server: Server, large: LargeDatabase, say: Say) {
  // Each eighth user of the large database is disabled.
  const enabled = () => 8 * randomInt(large.users / 8)
  const databases = {
    small: await requestsOf(server, server.prefix, () => `user${randomInt(1000)}@example.com`),
    large: await requestsOf(server, large.prefix, () => emailText(enabled())),
  }
  const rows: (string | number)[][] = []
  for (const [name, status] of Object.entries(operations)) {
    const rates = { small: [] as number[], large: [] as number[] }
    for (let turn = 0; turn <= rounds; turn++) {
      say(`${name}, round ${turn} of ${rounds}`)
      for (const size of turn % 2 ? sizes : sizes.toReversed()) {
        const next = databases[size][name as keyof typeof operations]
        const { rate, errors, unexpected } = await takeTurn(server, { next, status, connections, seconds })
        if (errors > 0) throw new Error(`${name}: ${unexpected}`)
        // The first turn warms up.
        if (turn > 0) rates[size].push(rate)
      }
    }
    const ratios = rates.large.map((rate, index) => rate / (rates.small[index] ?? Number.NaN))
    const spread = `${round(Math.min(...ratios))} to ${round(Math.max(...ratios))}`
    rows.push([name, median(rates.small), median(rates.large), median(ratios), spread])
  }
  return table(
    ['8 connections, one process', '1,000 users', `${large.users} users`, 'ratio', 'from to'],
    rows,
  )
}

/** The status of each operation. */
const operations = { me: 200, refresh: 200, login: 200, 'failed login': 401, create: 201 }

async function requestsOf(
  { port, logIn }: Server,
  prefix: string,
  emailOfUser: () => string,
): Promise<Record<keyof typeof operations, Next>> {
  const tokens: string[] = []
  const refreshTokens: string[] = []
  for (let index = 0; index < loggedIn; index++) {
    const token = await logIn(prefix, emailOfUser())
    const session = await fetch(`http://127.0.0.1:${port}${prefix}/users/me/session`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    })
    refreshTokens.push(refreshTokenOf(await session.text()))
    tokens.push(token)
  }
  const post = (path: string, body: object) => {
    // A client with many failed logins would have to wait.
    const from = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`
    return requestBytes('POST', `${prefix}/users${path}`, { body, from })
  }
  let sent = 0
  return {
    me: () => requestBytes('GET', `${prefix}/users/me`, { token: tokens[sent++ % loggedIn] ?? '' }),
    refresh: (last) => {
      const refreshToken = last ? refreshTokenOf(last) : refreshTokens[sent++ % loggedIn]
      return post('/session/refresh', { refreshToken })
    },
    login: () => post('/login', { email: emailOfUser(), password }),
    'failed login': () => post('/login', { email: emailOfUser(), password: `${password}!` }),
    create: () => post('', { email: `${uuidv7()}@example.com`, password, newTenant: 'Analytical Engines' }),
  }
}

const refreshTokenOf = (response: string) => /"refreshToken":\{"value":"([^"]+)"/.exec(response)?.[1] ?? ''
