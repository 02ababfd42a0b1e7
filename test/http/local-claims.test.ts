import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AppRoute } from '@ts-rest/core'
import { managementContract } from '@usher/contract/management'
import { operatorContract } from '@usher/contract/operator'
import { expect } from 'vitest'
import { startApp } from '../support/app.js'
import { it as consoleTest, operatorPassword } from '../support/console.js'
import { newVerifier } from '../support/login-mail.js'

/** What a client may say to look like a program on the machine of the server. */
const claims = {
  host: 'localhost',
  'usher-confirmation': 'local',
  'x-request-id': 'local',
  'x-usher-host': 'localhost',
  'x-usher-local': '1',
  'x-usher-actor': 'host',
  'x-usher-operator': 'root',
  'x-usher-role': 'owner',
  'x-usher-socket': 'usher.sock',
}
/** What a proxy would add to the requests of such a program. */
const claimsOfProxies = {
  ...claims,
  'x-forwarded-for': '127.0.0.1',
  'x-forwarded-host': 'localhost',
  'x-forwarded-proto': 'https',
  'x-real-ip': '127.0.0.1',
  'x-client-ip': '::1',
  forwarded: 'for=127.0.0.1;host=localhost',
  via: '1.1 localhost',
}

const operations = [operatorContract, managementContract].flatMap((contract) =>
  Object.values(contract).flatMap((routes) => Object.entries(routes as Record<string, AppRoute>)),
)
/** Operations that need no credential: the two documents, and where operators log in. */
const open = ['getOpenApiDocument', 'getOpenApi30Document', 'getConsole']
/** Operations with a credential in the body. */
const bodies: Record<string, object> = {
  createFirstOperator: { code: 'none', email: 'thief@example.com', password: operatorPassword },
  openCommandLineSession: { code: 'none', verifier: newVerifier().verifier },
}

const it = consoleTest
  /** Servers with the settings that decide who may use the console. */
  .extend('servers', { scope: 'file' }, async ({ store, console: _ }, { onCleanup }) => {
    const settings: Record<string, string>[] = [{}, { CONSOLE: 'on' }, { CONSOLE: 'on', TRUST_PROXY: '1' }]
    const servers = await Promise.all(settings.map((env) => startApp(store, env)))
    onCleanup(async () => void (await Promise.all(servers.map(({ close }) => close()))))
    await Promise.all(servers.map(({ app }) => app.listen({ host: '127.0.0.1', port: 0 })))
    return servers
  })
  .extend('path', { scope: 'file' }, async ({ servers }) => (await servers[0]?.newDatabase())?.path ?? '')
  /** Sends a request to each server with each of the claims. Returns the outcomes, each once. */
  .extend('outcomes', { scope: 'file' }, ({ servers, path }) => {
    const [workspace = '', database = ''] = path.split('/')
    return async (method: string, template: string, body?: object, more = {}) => {
      const url = template
        .replace(':workspaceSlug', workspace)
        .replace(':databaseName', database)
        .replace(/:\w+/g, crypto.randomUUID())
      const sent = servers.flatMap(({ app }) =>
        [claims, claimsOfProxies].map((headers) =>
          send(
            (app.server.address() as AddressInfo).port,
            { method, url, headers: { ...headers, ...more } },
            body,
          ),
        ),
      )
      return new Set(await Promise.all(sent))
    }
  })

/** Returns the status and the code of the response. */
const send = (
  port: number,
  { method, url, headers }: { method: string; url: string; headers: Record<string, string> },
  body?: object,
) =>
  new Promise<string>((resolve, reject) => {
    const text = JSON.stringify(body) ?? ''
    const ofBody = body && { 'content-type': 'application/json', 'content-length': text.length }
    const options = { host: '127.0.0.1', port, method, path: url, headers: { ...headers, ...ofBody } }
    request(options, async (response) => {
      const received = Buffer.concat(await response.toArray()).toString()
      resolve(`${response.statusCode} ${JSON.parse(received).code ?? 'ok'}`)
    })
      .on('upgrade', ({ statusCode }, socket) => {
        socket.destroy()
        resolve(`${statusCode}`)
      })
      .on('error', reject)
      .end(text)
  })

/** A console for this machine only does not exist for a request that a proxy has passed on. */
const hidden = '404 route_not_found'

it.for(operations)(
  '$0 gives a client by TCP no right because of its headers',
  async ([name, route], { outcomes }) => {
    const { method, path } = route
    const found = await outcomes(method, path, method === 'GET' ? undefined : (bodies[name] ?? {}))
    if (open.includes(name)) return expect(found).toContain('200 ok')
    const isOfOperators = path.startsWith('/operator/')
    const refused = bodies[name]
      ? '400 code_invalid'
      : isOfOperators
        ? '401 token_missing'
        : '401 key_invalid'
    expect(found).toEqual(new Set([...(isOfOperators ? [hidden] : []), refused]))
  },
)

it.for(['POST', 'PUT'] as const)('%s /console/session needs a credential', async (method, { outcomes }) => {
  const refused = method === 'PUT' ? '401 session_ended' : '401 token_missing'
  expect(await outcomes(method, '/console/session', {}, {})).toEqual(new Set([hidden, refused]))
})
