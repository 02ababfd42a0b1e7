import { Agent, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { startUsher } from './child.js'
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

const headerClock = new URL('header-clock.js', import.meta.url).href

/** Starts servers behind a proxy that use the clock of the test. `inject` has the interface of Fastify. */
export async function startInstances(
  count: number,
  env: Record<string, string>,
  clock: { readonly now: number },
) {
  const settings = { ...env, NODE_OPTIONS: `--import=${headerClock}` }
  const instances = await Promise.all(Array.from({ length: count }, () => startInstance(settings)))
  const proxy = await startProxy(instances.map(({ origin }) => origin))
  const agent = new Agent({ keepAlive: true })
  return {
    logged: () => instances.map(({ output }) => output.stdout + output.stderr).join(''),
    async inject({ method = 'GET', url, headers, payload }: InjectOptions) {
      const isJson = typeof payload === 'object' && !Buffer.isBuffer(payload)
      const request = httpRequest(proxy.origin, {
        agent,
        method,
        path: String(url),
        headers: {
          ...(isJson && { 'content-type': 'application/json' }),
          ...headers,
          'x-test-clock': clock.now,
        },
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
    async close() {
      agent.destroy()
      await proxy.close()
      await Promise.all(instances.map(({ stop }) => stop()))
    },
  }
}
