import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { cheapHashes } from '../../server/testing/cheap-hashes.js'
import { password } from '../support/app.js'
import { startUsher } from '../support/child.js'
import { createDatabase } from '../support/command-line.js'
import { freePort } from '../support/postgres-server.js'
import { createPostgresSettings } from '../support/store.js'

const text = await readFile(new URL('../../docs/observability.md', import.meta.url), 'utf8')
const rules = await readFile(new URL('../../docs/deploy/alerts.yaml', import.meta.url), 'utf8')
const [, otel = ''] = text.match(/^```js\n(.*?)^```$/ms) ?? []
const users = '/workspaces/demo/databases/app/users'

let scratch: string
let env: Record<string, string>
let remove: () => Promise<unknown>
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'usher-otel-'))
  await symlink(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(scratch, 'node_modules'))
  await writeFile(join(scratch, 'otel.mjs'), otel)
  // As npm creates it: without a type.
  await writeFile(join(scratch, 'package.json'), '{}')
  const store = await createPostgresSettings()
  remove = store.remove
  env = { ...store.env, ...cheapHashes, PORT: String(await freePort()) }
  await createDatabase('demo', 'app', env)
})
afterAll(async () => {
  await rm(scratch, { recursive: true })
  await remove()
})

const signUp = (email: string, headers: Record<string, string> = { traceparent }) =>
  fetch(`http://localhost:${env.PORT}${users}`, {
    method: 'POST',
    body: JSON.stringify({ email, password }),
    headers: { 'content-type': 'application/json', ...headers },
  })
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`

describe('docs/observability.md', () => {
  it('the rules of docs/deploy use only exported metrics, and otel.mjs of docs/observability.md exports the spans of all workers', async () => {
    const names: string[] = []
    const services = new Set<string>()
    const collector = createServer(async (request, response) => {
      const { resourceSpans } = (await json(request)) as Export
      for (const { resource, scopeSpans } of resourceSpans) {
        for (const { value } of resource.attributes) services.add(value.stringValue)
        for (const { spans } of scopeSpans) {
          names.push(...spans.filter((span) => span.traceId === traceId).map(({ name }) => name))
        }
      }
      response.setHeader('Content-Type', 'application/json').end('{}')
    }).listen(0, '127.0.0.1')
    await once(collector, 'listening')
    const METRICS_PORT = String(await freePort())
    const server = startUsher(['serve', '--workers', '2'], {
      ...env,
      METRICS_PORT,
      NODE_OPTIONS: `--import "${join(scratch, 'otel.mjs')}"`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    })
    await vi.waitFor(
      () => expect(new Set(server.output.stdout.match(/"worker":\d(?=.*Server listening)/g)).size).toBe(2),
      { timeout: 50_000 },
    )
    expect((await signUp('ada@example.com', {})).status).toBe(201)
    expect((await signUp('ada@example.com', {})).status).toBe(409)
    const shown = await (await fetch(`http://localhost:${METRICS_PORT}/metrics`)).text()
    const series = new Set([...shown.matchAll(/^(\w+)[{ ]/gm)].map(([, name]) => name))
    const used = [...rules.matchAll(/\busher_\w+/g)].map(([name]) => name)
    expect(used.filter((name) => !series.has(name))).toEqual([])

    // The last spans are sent when the workers end.
    for (let i = 0; i < 4; i++) {
      expect((await signUp(`user-${i}@example.com`)).status).toBe(201)
    }
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, stderr: '' })
    collector.close()
    expect([...services]).toEqual(['usher'])
    const count = (name: string) => names.filter((each) => each === name).length
    expect(count('POST /workspaces/:workspaceSlug/databases/:databaseName/users')).toBe(4)
    expect(count('password hash')).toBe(4)
    expect(count('INSERT user')).toBe(4)
  })
})

interface Export {
  resourceSpans: {
    resource: { attributes: { value: { stringValue: string } }[] }
    scopeSpans: { spans: { name: string; traceId: string }[] }[]
  }[]
}
