import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'

const clientsPerDatabase = 4
const password = 'correct horse battery'
const json = { 'content-type': 'application/json' }

/** A response: status 0 for a connection that was cut. */
export interface Answer {
  database: string
  status: number
  milliseconds: number
}

interface Body {
  id?: string
  token?: { jwt: string }
}

/** Clients that sign up, log in and read themselves on several databases until `stop`, and keep all responses. */
export function startTraffic(origin: string, databases: readonly string[]) {
  const acknowledged: { database: string; email: string; id: string }[] = []
  let answers: Answer[] = []
  let isOver = false

  async function send(database: string, path: string, init: RequestInit = {}) {
    const start = performance.now()
    const note = (status: number) =>
      answers.push({ database, status, milliseconds: performance.now() - start })
    try {
      const url = `${origin}/workspaces/acme/databases/${database}/users${path}`
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) })
      const body = (await response.json()) as Body
      note(response.status)
      return { status: response.status, body }
    } catch {
      note(0)
      return { status: 0, body: {} as Body }
    }
  }
  const post = (database: string, path: string, body: object) =>
    send(database, path, { method: 'POST', headers: json, body: JSON.stringify(body) })

  async function client(database: string) {
    while (!isOver) {
      const email = `${randomUUID()}@example.com`
      const { status, body } = await post(database, '', { email, password, newTenant: email })
      if (status !== 201 || !body.id) {
        // A client that is refused immediately would leave the machine no time for anything else.
        await pause(20)
        continue
      }
      acknowledged.push({ database, email, id: body.id })
      await post(database, '/login', { email, password })
      const headers = { authorization: `Bearer ${body.token?.jwt}` }
      for (let count = 0; count < 3; count++) await send(database, '/me', { headers })
    }
  }
  const clients = Promise.all(
    databases.flatMap((database) => Array.from({ length: clientsPerDatabase }, () => client(database))),
  )
  return {
    acknowledged,
    /** Runs for some seconds and returns the responses of that time. */
    async during(seconds: number) {
      answers = []
      await pause(seconds * 1000)
      return answers.slice()
    },
    /** Ends the clients, then logs in every acknowledged user. Returns those that could not, or with another id. */
    async stop() {
      isOver = true
      await clients
      const rest = acknowledged.values()
      const lost: string[] = []
      const check = async () => {
        for (const { database, email, id } of rest) {
          const { body } = await post(database, '/login', { email, password })
          if (body.id !== id) lost.push(email)
        }
      }
      await Promise.all(Array.from({ length: 8 }, check))
      return lost
    },
  }
}

/** Counts responses by status, and returns the latency in milliseconds that a share of them stays below. */
export function summaryOf(answers: readonly Answer[], databases: readonly string[]) {
  const own = answers.filter(({ database }) => databases.includes(database))
  const times = own.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b)
  const count = (...statuses: number[]) => own.filter(({ status }) => statuses.includes(status)).length
  return {
    served: count(200, 201),
    unavailable: count(503),
    other: own.length - count(200, 201, 503),
    p99: times[Math.ceil(times.length * 0.99) - 1] ?? 0,
    longest: times.at(-1) ?? 0,
  }
}
