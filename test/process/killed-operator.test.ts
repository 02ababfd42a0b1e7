import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../support/app.js'
import { openConsole } from '../support/console.js'
import { startInstance } from '../support/instances.js'
import { openPostgres } from '../support/open-store.js'
import { createPostgresSettings } from '../support/store.js'
import { startRelay } from './relay.js'

it.for(['before', 'after'] as const)(
  'a server that is killed %s the change of an operator leaves its outcome unknown',
  async (cut) => {
    const { env, remove } = await createPostgresSettings()
    onTestFinished(remove)
    const masterKey = Buffer.from(String(env.USHER_MASTER_KEY), 'base64')
    const store = await openPostgres(String(env.DATABASE_URL), masterKey)
    const local = await startApp(store, { CONSOLE: 'on' })
    onTestFinished(local.close)
    local.clock.now = Date.now() - 60_000
    const console = await openConsole(local)
    const owner = await console.owner()
    await owner.send('POST', '/operator/workspaces', { slug: 'acme' })
    await owner.send('POST', '/operator/workspaces/acme/databases', { name: 'app' })

    const relay = await startRelay(String(env.DATABASE_URL), (sent) =>
      sent.includes('INSERT INTO usher.tenant (database_id, id, name, external_id') ? cut : undefined,
    )
    const BASE_URL = local.config.baseUrl
    const killed = await startInstance({ ...env, DATABASE_URL: relay.url, BASE_URL, CONSOLE: 'on' })
    const response = fetch(`${killed.origin}/workspaces/acme/databases/app/management/tenants`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.jwt}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Engines' }),
    })
    const outcome = response.then(
      ({ status }) => status,
      () => 'no response',
    )
    await expect.poll(relay.cuts, { timeout: 20_000 }).toBe(1)
    killed.signal('SIGKILL')
    expect(await outcome).toBe('no response')
    await killed.ended

    const { actions } = (await owner.send('GET', '/operator/actions')).json()
    // Not by its place: other files may have set the clock of this process ahead, whose ids are then later.
    const recorded = actions.find(({ action }: { action: string }) => action === 'addTenant')
    expect(recorded).toMatchObject({ database: 'app', outcome: null })
    const { tenants } = (await owner.send('GET', '/workspaces/acme/databases/app/management/tenants')).json()
    expect(tenants).toHaveLength(cut === 'after' ? 1 : 0)
  },
)
