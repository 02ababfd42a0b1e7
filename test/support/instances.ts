import { randomUUID } from 'node:crypto'
import { Agent, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { share, startUsher } from './child.js'
import { freePort } from './postgres-server.js'
import { startProxy } from './proxy.js'

/**
 * Starts a server process.
 *
 * @param PORT of the server that it replaces
 * @param file command line of another build
 */
export async function startInstance(env: Record<string, string>, PORT?: string, file?: string) {
  const port = PORT ?? String(await freePort())
  const settings = { ...env, HOST: '127.0.0.1', PORT: port, WORKERS: '1' }
  const instance = startUsher(['serve'], settings, file)
  await instance.printed('Server listening')
  return {
    ...instance,
    origin: `http://127.0.0.1:${port}`,
    port,
    async stop() {
      instance.signal('SIGTERM')
      const ended = await instance.ended
      if (ended.code !== 0) throw new Error(`ended with ${ended.code}:\n${ended.stdout}${ended.stderr}`)
    },
  }
}

type Clock = { readonly now: number; readonly cacheAhead: number }

/** By how many milliseconds all files of this worker have set the clock of the caches ahead. */
let ahead = 0

const testClock = new URL('test-clock.js', import.meta.url).href

/** Starts servers behind a proxy that run until `stop`. */
async function startServers(count: number, settings: Record<string, string>, { now }: Clock) {
  const env = { ...settings, NODE_OPTIONS: `--import=${testClock}?${queryOf(now)}` }
  const servers = await Promise.all(Array.from({ length: count }, () => startInstance(env)))
  for (const server of servers) share(server)
  const proxy = await startProxy(servers.map(({ origin }) => origin))
  return {
    proxy,
    servers,
    async stop() {
      await proxy.close()
      await Promise.all(servers.map(({ stop }) => stop()))
    },
  }
}

/** Servers by their settings, because their start takes longer than most files that use them. */
const shared = new Map<string, ReturnType<typeof startServers>>()

const queryOf = (now: number) => `now=${now}&cacheAhead=${ahead}`

/** The time of all shared servers, those included that receive no request: they sweep the store of the others. */
let time: { query: string; set: Promise<unknown> } | undefined

function setTime(now: number) {
  const query = queryOf(now)
  if (time?.query !== query) time = { query, set: sendTime(query) }
  return time.set
}

async function sendTime(query: string) {
  const all = await Promise.all(shared.values())
  const origins = all.flatMap(({ servers }) => servers.map(({ origin }) => origin))
  await Promise.all(origins.map((origin) => fetch(`${origin}/test-clock?${query}`)))
}

/** Stops the servers that the files of this worker have shared. */
export async function stopInstances() {
  const all = await Promise.all(shared.values())
  shared.clear()
  await Promise.all(all.map(({ stop }) => stop()))
}

/**
 * Returns servers behind a proxy that use the clock of the test. The files of a worker share those with the same
 * settings until `stopInstances`. `inject` has the interface of Fastify.
 */
export async function startInstances(count: number, settings: Record<string, string>, clock: Clock) {
  const key = JSON.stringify([count, settings])
  // Those of other files share the store, and would send its mails elsewhere.
  if (settings.SMTP_URL && !shared.has(key)) await stopInstances()
  const starting = shared.get(key) ?? startServers(count, settings, clock)
  shared.set(key, starting)
  // New servers have the time of their own clock.
  time = undefined
  const { proxy, servers } = await starting
  const before = servers.map(({ output }) => ({ ...output }))
  const agent = new Agent({ keepAlive: true })
  let own = 0
  return {
    logged: () =>
      servers
        .map(({ output: { stdout, stderr } }, index) => {
          const earlier = before[index]
          return stdout.slice(earlier?.stdout.length) + stderr.slice(earlier?.stderr.length)
        })
        .join(''),
    async inject({ method = 'GET', url, headers, payload }: InjectOptions) {
      ahead += clock.cacheAhead - own
      own = clock.cacheAhead
      await setTime(clock.now)
      const isJson = typeof payload === 'object' && !Buffer.isBuffer(payload)
      const request = httpRequest(proxy.origin, {
        agent,
        method,
        path: String(url),
        headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
      })
      return new Promise<LightMyRequestResponse>((resolve, reject) => {
        request.on('error', reject).on('response', async (response) => {
          const body = await text(response)
          const { statusCode, headers } = response
          const result = { statusCode, headers, body, json: () => JSON.parse(body) }
          resolve(result as LightMyRequestResponse)
        })
        request.end(isJson ? JSON.stringify(payload) : payload)
      })
    },
    /** Waits until everything is logged. */
    async close() {
      agent.destroy()
      const id = randomUUID()
      const mark = async ({ origin, printed }: (typeof servers)[number]) => {
        await fetch(`${origin}/nowhere`, { headers: { 'x-request-id': id } })
        await printed(id)
      }
      await Promise.all(servers.map(mark))
    },
  }
}
