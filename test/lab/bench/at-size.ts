import { randomInt } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Say } from './bench.js'
import { median, round, table } from './figures.js'
import { type Next, requestBytes } from './load.js'
import { takeTurn } from './turn.js'
import { password, type Server } from './world.js'

const rounds = 7
const seconds = 2
const connections = 8
const sizes = ['small', 'large'] as const
/** Users with a token or a session of each population. */
const loggedIn = 200

/** A user, and the path of the user's database. */
interface BenchUser {
  prefix: string
  email: string
}

/** Users whose rates are compared with those of a database of a thousand users. */
export interface Population {
  name: string
  /** Returns one of them at random. */
  pick: () => BenchUser
}

/**
 * Compares the rates of operations of some users with those of users in a database of a thousand, on the same server and
 * Postgres. The users of logins are chosen at random.
 */
export async function compareOperations(server: Server, large: Population, say: Say) {
  const { prefix } = server
  const requests = {
    small: await requestsOf(server, () => ({ prefix, email: `user${randomInt(1000)}@example.com` })),
    large: await requestsOf(server, large.pick),
  }
  const rows: (string | number)[][] = []
  for (const [name, status] of Object.entries(operations)) {
    const rates = { small: [] as number[], large: [] as number[] }
    for (let turn = 0; turn <= rounds; turn++) {
      say(`${name}, round ${turn} of ${rounds}`)
      for (const size of turn % 2 ? sizes : sizes.toReversed()) {
        const next = requests[size][name as keyof typeof operations]
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
  return table(['8 connections, one process', '1,000 users', large.name, 'ratio', 'from to'], rows)
}

/** The status of each operation. */
const operations = { me: 200, refresh: 200, login: 200, 'failed login': 401, create: 201 }

async function requestsOf(
  { port, logIn }: Server,
  pick: Population['pick'],
): Promise<Record<keyof typeof operations, Next>> {
  const reads: string[] = []
  const refreshTokens: string[] = []
  const prefixes = new Map<string, string>()
  for (let index = 0; index < loggedIn; index++) {
    const { prefix, email } = pick()
    const token = await logIn(prefix, email)
    const session = await fetch(`http://127.0.0.1:${port}${prefix}/users/me/session`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    })
    reads.push(requestBytes('GET', `${prefix}/users/me`, { token }))
    const refreshToken = refreshTokenOf(await session.text())
    refreshTokens.push(refreshToken)
    prefixes.set(sessionOf(refreshToken), prefix)
  }
  const post = (prefix: string, path: string, body: object) => {
    // A client with many failed logins would have to wait.
    const from = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`
    return requestBytes('POST', `${prefix}/users${path}`, { body, from })
  }
  const logInAs = ({ prefix, email }: BenchUser, password: string) =>
    post(prefix, '/login', { email, password })
  let sent = 0
  return {
    me: () => reads[sent++ % loggedIn] ?? '',
    refresh: (last) => {
      const refreshToken = last ? refreshTokenOf(last) : (refreshTokens[sent++ % loggedIn] ?? '')
      return post(prefixes.get(sessionOf(refreshToken)) ?? '', '/session/refresh', { refreshToken })
    },
    login: () => logInAs(pick(), password),
    'failed login': () => logInAs(pick(), `${password}!`),
    create: () => {
      const email = `${uuidv7()}@example.com`
      return post(pick().prefix, '', { email, password, newTenant: 'Analytical Engines' })
    },
  }
}

const refreshTokenOf = (response: string) => /"refreshToken":\{"value":"([^"]+)"/.exec(response)?.[1] ?? ''

/** A refresh token begins with the id of its session. */
const sessionOf = (refreshToken: string) => refreshToken.split('.')[0] ?? ''
