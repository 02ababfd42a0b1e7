import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startUsher } from '../../support/child.js'
import { createDatabase } from '../../support/command-line.js'
import { freePort } from '../../support/postgres-server.js'
import { createPostgresSettings } from '../../support/store.js'
import { isLong } from '../form.js'

/** Preloaded by each thread: only the main one starts. */
const broken = `import { isMainThread } from 'node:worker_threads'
if (!isMainThread) throw new Error('no threads today')
`

it('a server whose hashing threads cannot start says so, rejects passwords, and ends after a minute', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'usher-threads-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const port = String(await freePort())
  const settings = await createPostgresSettings()
  onTestFinished(settings.remove)
  const env = { ...settings.env, HOST: '127.0.0.1', PORT: port, WORKERS: '1' }
  await createDatabase('acme', 'app', env)
  const preload = join(folder, 'broken.mjs')
  await writeFile(preload, broken)
  const server = startUsher(['serve'], { ...env, NODE_OPTIONS: `--import ${pathToFileURL(preload)}` })
  const startedAt = performance.now()
  await server.printed('Server listening')
  const origin = `http://127.0.0.1:${port}`
  await vi.waitFor(async () => expect((await fetch(`${origin}/readyz`)).status).toBe(503), 10_000)
  expect((await fetch(`${origin}/healthz`)).status).toBe(200)
  const login = await fetch(`${origin}/workspaces/acme/databases/app/users/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery' }),
  })
  expect([login.status, await login.json()]).toMatchObject([503, { code: 'unavailable' }])
  if (isLong) {
    expect(await server.ended).toMatchObject({ code: 1, stdout: expect.stringContaining('no threads today') })
    expect((performance.now() - startedAt) / 1000).toBeGreaterThan(55)
  } else {
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0 })
  }
})
