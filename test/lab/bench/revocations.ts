import { storeRevocation } from '../../../server/store/queries/stored-revocations.js'
import { type OpenStore, openPostgres } from '../../support/open-store.js'
import { createApiKey } from '../../support/operator-changes.js'
import type { Say } from './bench.js'
import { median, percentile, table } from './figures.js'
import { type Followers, startFollowers } from './followers.js'
import { closedLoop, warmUpSeconds } from './load.js'
import type { Server, World } from './world.js'

/** Clients that wait at one process: the most that one API key may have. */
const clients = 1000
/** Longer than a wait, so that the requests of all clients end once. */
const idleSeconds = 30
/** Until the first requests of all clients wait. */
const settleMilliseconds = 3_000

const states = {
  'nobody waits': { clients: 0, perSecond: 0 },
  '1,000 clients wait': { clients, perSecond: 0 },
  '1,000 clients wait, one revocation/s': { clients, perSecond: 1 },
}
type State = keyof typeof states
const names = Object.keys(states) as State[]

interface Stage {
  server: Server
  store: OpenStore
  databaseId: string
  key: string
}

/** Figures of one state, by turn. */
interface Figures {
  rates: number[]
  statements: number
  cpu: number
  memory: number
  delays: number[]
  errors: number
}

/** Measures one process at which many clients wait for revocations: memory, statements, and `me` at the same time. */
export async function revocations(world: World, rounds: number, seconds: number, say: Say) {
  const masterKey = Buffer.from(world.env.USHER_MASTER_KEY, 'base64')
  const store = await openPostgres(world.env.DATABASE_URL, masterKey)
  const now = new Date()
  const described = { name: 'verifier', scopes: ['revocations:read' as const], expiresInSeconds: 86_400 }
  const { key } = await createApiKey({ store, now }, world.path, described)
  const { id: databaseId } = await store.prisma.database.findFirstOrThrow({
    where: { name: world.path.databaseName },
  })
  const server = await world.startUsher({ WORKERS: '1' })
  const stage = { server, store, databaseId, key }
  say('warming up')
  await closedLoop(server.port, warmUpSeconds, server.requests.me)
  const figures = new Map<State, Figures>()
  for (const name of names) {
    say(`${name}: ${idleSeconds} s without other requests`)
    figures.set(name, { ...(await inState(stage, name, () => idle(stage))), rates: [] })
  }
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`)
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const { latencies, ...turn } = await inState(stage, name, () =>
        closedLoop(server.port, seconds, server.requests.me),
      )
      figures.get(name)?.rates.push((latencies.get(200)?.length ?? 0) / turn.seconds)
    }
  }
  await server.stop()
  await store.close()
  return tableOf(figures)
}

function tableOf(figures: ReadonlyMap<State, Figures>) {
  const base = figures.get('nobody waits')?.rates ?? []
  const rows = [...figures].map(([name, { rates, statements, cpu, memory, delays, errors }]) => [
    name,
    memory,
    statements,
    cpu,
    median(rates),
    median(rates.map((rate, index) => rate / (base[index] ?? Number.NaN))),
    percentile(delays, 0.5),
    percentile(delays, 0.99),
    String(errors),
  ])
  const head = ['MiB', 'statements/s', 'CPU s/s', 'me/s', 'me to nobody', 'delay p50 ms', 'p99 ms', 'errors']
  return table(['one process', ...head], rows)
}

/** Runs work while clients wait and revocations are stored. */
async function inState<Result extends object>(
  { server, store, databaseId, key }: Stage,
  name: State,
  work: () => Promise<Result>,
) {
  const { clients, perSecond } = states[name]
  const path = `${server.prefix}/management/revocations`
  const followers: Followers = startFollowers(server.port, clients, { path, key })
  if (clients > 0) await new Promise((resolve) => setTimeout(resolve, settleMilliseconds))
  const storing =
    perSecond > 0 &&
    setInterval(() => {
      const origin = { databaseId, now: new Date() }
      void storeRevocation(store, origin, { type: 'key-retired', kid: String(performance.now()) })
    }, 1000 / perSecond)
  followers.delays = []
  const result = await work()
  clearInterval(storing || undefined)
  followers.stop()
  return { ...result, delays: followers.delays, errors: followers.errors }
}

/** Returns what the process needs while no other request is sent. */
async function idle({ server, store }: Stage) {
  const before = { statements: await transactions(store), cpu: await server.cpuSeconds() }
  await new Promise((resolve) => setTimeout(resolve, idleSeconds * 1000))
  return {
    statements: ((await transactions(store)) - before.statements) / idleSeconds,
    cpu: ((await server.cpuSeconds()) - before.cpu) / idleSeconds,
    memory: await server.memoryMebibytes(),
  }
}

/** Returns the number of transactions until now: each statement of a request is one, except those in one transaction. */
async function transactions({ query }: OpenStore) {
  const [row] = await query<{ count: number }>(
    'SELECT xact_commit AS count FROM pg_stat_database WHERE datname = current_database()',
    [],
  )
  return Number(row?.count)
}
