import { setTimeout as pause } from 'node:timers/promises'
import { migrate } from '../../../server/store/migrate.js'
import { startUsher } from '../../support/child.js'
import { openPostgres } from '../../support/open-store.js'
import { startOwnPostgres } from '../../support/own-postgres.js'
import { freePort, type PostgresServer } from '../../support/postgres-server.js'
import { startSmtp } from '../../support/smtp.js'
import { startProxy } from '../faults/proxy.js'
import { type Random, randomOf } from './random.js'
import type { Request } from './requests.js'
import type { World } from './round.js'
import { operatorOf, prepare, type Server, settings } from './stage.js'

/** Milliseconds by which the clocks of the servers are ahead: less than the half minute that they may differ. */
const skews = [0, 14_000, 28_000]
const masterKey = Buffer.alloc(32, 1)
const clock = new URL('skewed-clock.js', import.meta.url).href
const requestMilliseconds = 8_000

/** Starts a server process whose connections to Postgres can be cut, and which keeps its port when it is restarted. */
export async function startServer(databaseUrl: string, env: Record<string, string>, skew: number) {
  const proxy = await startProxy(databaseUrl)
  const port = String(await freePort())
  const own = { ...env, DATABASE_URL: proxy.url, HOST: '127.0.0.1', PORT: port, WORKERS: '1' }
  async function start() {
    const child = startUsher(['serve'], {
      ...own,
      CLOCK_SKEW: String(skew),
      NODE_OPTIONS: `--import=${clock}`,
    })
    await child.printed('Server listening', 60_000)
    return child
  }
  let child = await start()
  const server: Server = {
    name: `server +${skew / 1000}`,
    async send({ method, url, headers, payload }: Request) {
      const body = payload && JSON.stringify(payload)
      const signal = AbortSignal.timeout(requestMilliseconds)
      const sent = { method, headers, signal, ...(body && { body }) }
      try {
        const response = await fetch(`http://127.0.0.1:${port}${url}`, sent)
        const text = await response.text()
        return response.status === 503
          ? undefined
          : { status: response.status, body: text ? JSON.parse(text) : {} }
      } catch (error) {
        const { cause } = error as { cause?: { code?: string } }
        return cause?.code === 'ECONNREFUSED' ? 'not_sent' : undefined
      }
    },
  }
  return {
    ...server,
    cut: proxy.cutAll,
    signal: (name: NodeJS.Signals) => child.signal(name),
    async kill() {
      child.signal('SIGKILL')
      await child.ended
    },
    async restart() {
      child = await start()
    },
    async close() {
      child.signal('SIGKILL')
      await child.ended
      await proxy.close()
    },
  }
}

/** Starts three server processes with different clocks on a Postgres server of their own. */
export async function startProcesses(seed: number) {
  const random = randomOf(seed)
  const postgres = await startOwnPostgres({ fsync: 'off' })
  const store = await openPostgres(postgres.url, masterKey)
  await migrate(store)
  const prepared = await prepare(store)
  const smtp = await startSmtp()
  const env = {
    ...settings,
    SMTP_URL: smtp.url,
    MAIL_FROM: 'accounts@example.com',
    BASE_URL: 'https://id.example.com',
    USHER_MASTER_KEY: masterKey.toString('base64'),
  }
  const servers = await Promise.all(skews.map((skew) => startServer(postgres.url, env, skew)))
  const operator = operatorOf(store, prepared)
  const lapse = async (kinds: string[]) => {
    const where = { kind: { in: kinds }, dueAt: { not: null } }
    await store.prisma.message.updateMany({ where, data: { dueAt: new Date(0) } }).catch(() => undefined)
  }
  const world: World = {
    servers,
    store,
    operator,
    receive: () => undefined,
    lapse: () => lapse(['mail']),
    prepared: {
      ...prepared,
      async settle() {
        await pause(3_000)
        await lapse(['mail', 'webhook'])
        await prepared.settle(120_000)
      },
    },
  }
  smtp.answer = async ({ recipients, parsed }) =>
    world.receive({
      id: parsed.messageId?.slice(1, 37) ?? '',
      to: String(recipients),
      text: parsed.text ?? '',
    })

  async function close() {
    await Promise.all(servers.map((server) => server.close()))
    await operator.context.hashing.close()
    await Promise.all([smtp.close(), prepared.receiver.close(), store.close()])
    await postgres.stop()
  }
  return { world, random, close, faults: faultsOf(servers, postgres, random) }
}

/** Returns what can happen to servers and to Postgres. */
const faultsOf = (
  servers: readonly Awaited<ReturnType<typeof startServer>>[],
  postgres: PostgresServer,
  random: Random,
): Record<string, () => Promise<unknown>> => ({
  async kill() {
    const server = random.pick(servers)
    await server?.kill()
    await pause(random.below(1_000))
    await server?.restart()
  },
  async stop() {
    const server = random.pick(servers)
    server?.signal('SIGSTOP')
    await pause(500 + random.below(4_000))
    server?.signal('SIGCONT')
  },
  cut: async () => random.pick(servers)?.cut(),
  async 'kill of Postgres'() {
    await postgres.kill()
    await postgres.start()
  },
})

/** Causes faults, one after the other, until it is stopped. Returns how many there were of each kind. */
export function startFaults(faults: Record<string, () => Promise<unknown>>, random: Random) {
  const counts: Record<string, number> = {}
  let isOver = false
  const running = (async () => {
    const weighted = Object.keys(faults).flatMap((name) =>
      name === 'kill of Postgres' ? [name] : [name, name, name],
    )
    while (!isOver) {
      await pause(500 + random.below(3_000))
      const name = random.pick(weighted) ?? 'cut'
      await faults[name]?.()
      counts[name] = (counts[name] ?? 0) + 1
    }
    return counts
  })()
  running.catch(() => undefined)
  return () => {
    isOver = true
    return running
  }
}
