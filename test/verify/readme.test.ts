import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, vi } from 'vitest'
import { isInstalled } from '../clients/installed.js'
import { createApiKey, setDatabase } from '../support/operator-changes.js'
import { snippetsOf } from '../support/snippets.js'
import { it as liveTest } from './live.js'

const snippets = (await snippetsOf('verify/README.md')).filter(({ language }) => language === 'ts')

const it = liveTest
  .extend('folder', { scope: 'file' }, async ({ database: _ }, { onCleanup }) => {
    const folder = await mkdtemp(resolve('test/clients', '.verify-readme-'))
    onCleanup(() => rm(folder, { recursive: true }))
    return folder
  })
  /** Imports a snippet, with the address of the test server and its database. */
  .extend('importSnippet', ({ folder, origin, database }) => async (index: number) => {
    const code = snippets[index]?.code ?? ''
    const { outputFiles } = await build({
      stdin: {
        contents: code
          .replaceAll('http://localhost:3000', origin)
          .replaceAll("workspace: 'demo'", `workspace: '${database.workspaceSlug}'`)
          .replaceAll("database: 'app'", `database: '${database.databaseName}'`),
        loader: 'ts',
        resolveDir: resolve('test/verify'),
      },
      bundle: true,
      external: ['express', 'fastify', 'hono'],
      conditions: ['@usher/source'],
      platform: 'node',
      format: 'esm',
      write: false,
    })
    const file = join(folder, `${index}.mjs`)
    await writeFile(file, outputFiles[0]?.contents ?? '')
    return import(/* @vite-ignore */ file)
  })
  .extend('user', async ({ clock, database }) => {
    clock.now = Date.now()
    const { id, tenants, token } = await database.signedUp({ newTenant: 'Engines' })
    return { id, tenants, authorization: `Bearer ${token.jwt}` }
  })

it('runs the snippet First call', async ({ importSnippet, user }) => {
  const { userId } = await importSnippet(0)
  expect(await userId(user.authorization)).toBe(user.id)
  await expect(userId('Bearer a.b.c')).rejects.toThrow('The access token is invalid')
})

it('runs the snippet of Fastify', async ({ importSnippet, user }) => {
  const { app } = await importSnippet(1)
  const { authorization, id } = user
  expect((await app.inject({ url: '/', headers: { authorization } })).body).toBe(id)
  expect((await app.inject({ url: '/' })).statusCode).toBe(401)
})

it.skipIf(!isInstalled)('runs the snippet of Express', async ({ importSnippet, user }) => {
  const { app } = await importSnippet(2)
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const { authorization, id } = user
  expect(await (await fetch(url, { headers: { authorization } })).text()).toBe(id)
  expect((await fetch(url)).status).toBe(401)
  server.closeAllConnections()
  server.close()
})

it('runs the snippet of Hono', async ({ importSnippet, user }) => {
  const { app } = await importSnippet(3)
  const { authorization, id } = user
  expect(await (await app.request('/', { headers: { authorization } })).text()).toBe(id)
  expect((await app.request('/')).status).toBe(401)
})

it('runs the snippet Sensitive actions', async ({ importSnippet, user }) => {
  const { app } = await importSnippet(4)
  const { authorization } = user
  const response = await app.inject({ method: 'POST', url: '/payouts', headers: { authorization } })
  expect([response.statusCode, response.json().code]).toEqual([401, 'step_up_required'])
})

it('runs the snippet More than 50 tenants', async ({ importSnippet, user }) => {
  const { tenantsOf, isUnavailable } = await importSnippet(5)
  expect(await tenantsOf(user.authorization)).toEqual(user.tenants)
  expect(isUnavailable(await tenantsOf('Bearer a.b.c').catch((error: unknown) => error))).toBe(false)
})

it('runs the snippet Roles', async ({ importSnippet, user }) => {
  const { mayExport } = await importSnippet(6)
  const [tenant = ''] = user.tenants
  expect(await mayExport(user.authorization, tenant)).toBe(true)
  expect(await mayExport(user.authorization, crypto.randomUUID())).toBe(false)
})

it('runs the snippet Claims of your product', async ({ usher, database, importSnippet, user }) => {
  const { isPro } = await importSnippet(7)
  expect(await isPro(user.authorization)).toBe(false)
  await setDatabase(usher.store, database, { claimSources: ['plan=user.metadata.plan'] })
  usher.clock.cacheAhead += 6_000
  const { user: users } = usher.store.prisma
  await users.updateMany({ where: { id: user.id }, data: { metadata: { plan: 'pro' } } })
  const session = (await database.openSession(user.authorization.slice(7))).json()
  expect(await isPro(session.token.jwt)).toBe(true)
})

it('runs the snippet Revocations', async ({ usher, database, importSnippet, user }) => {
  const described = { name: 'verifier', scopes: ['revocations:read' as const], expiresInSeconds: 3600 }
  const { key } = await createApiKey(
    { store: usher.store, now: new Date(usher.clock.now) },
    database,
    described,
  )
  vi.stubEnv('USHER_API_KEY', key)
  const { verifier, isFresh } = await importSnippet(8)
  expect((await verifier.verify(user.authorization)).data.userId).toBe(user.id)
  expect(isFresh()).toBe(true)
  verifier.close()
  expect(isFresh()).toBe(false)
})

it('runs the snippet Webhooks', async ({ importSnippet }) => {
  const secret = `whsec_${'A'.repeat(43)}=`
  vi.stubEnv('WEBHOOK_SECRET', secret)
  const log = vi.spyOn(console, 'log').mockReturnValue()
  onTestFinished(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })
  const { receive } = await importSnippet(9)
  const at = new Date()
  const body = JSON.stringify({ type: 'user.deleted', data: { userId: 'Ada' } })
  const headers = {
    'webhook-id': 'one',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('one', at, body),
  }
  const post = async (text: string) =>
    (await receive(new Request('http://localhost', { method: 'POST', headers, body: text }))).status
  expect([await post(body), await post('{}')]).toEqual([204, 401])
  expect(log.mock.calls).toEqual([['Ada']])
})

it('runs every snippet of the README', () => {
  const { length } = snippets
  expect(length).toBe(10)
})
