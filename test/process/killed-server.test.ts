import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../support/app.js'
import { createDatabase, runUsher } from '../support/command-line.js'
import { startInstance } from '../support/instances.js'
import { openPostgres } from '../support/open-store.js'
import { createPostgresSettings } from '../support/store.js'
import { startRelay } from './relay.js'

it('a server that is killed between the change and the response changes nothing twice', async () => {
  const { env, remove } = await createPostgresSettings()
  onTestFinished(remove)
  await createDatabase('acme', 'app', env)
  const created = await runUsher(
    'api-key create acme/app --name backend --scope tenants:read --scope tenants:write --json'.split(' '),
    env,
  )
  const { key } = JSON.parse(created.stdout)
  const url = '/workspaces/acme/databases/app/management/tenants'
  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'once' }
  const store = await openPostgres(
    String(env.DATABASE_URL),
    Buffer.from(String(env.USHER_MASTER_KEY), 'base64'),
  )

  // The COMMIT of the first transaction that stores a response.
  const relay = await startRelay(String(env.DATABASE_URL), (sent) =>
    sent.includes('INSERT INTO usher.api_request') ? 'after' : undefined,
  )
  const killed = await startInstance({ ...env, DATABASE_URL: relay.url })
  const response = fetch(killed.origin + url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Engines' }),
  })
  const outcome = response.then(
    ({ status }) => status,
    () => 'no response',
  )
  await expect.poll(() => store.prisma.tenant.count(), { timeout: 20_000 }).toBe(1)
  killed.signal('SIGKILL')
  expect(await outcome).toBe('no response')
  await killed.ended

  const next = await startApp(store)
  onTestFinished(next.close)
  const retry = () => next.send({ method: 'POST', url, headers, payload: { name: 'Engines' } })
  const [first, second] = [await retry(), await retry()]
  const stored = await store.prisma.tenant.findMany()
  expect(stored).toHaveLength(1)
  const [{ id, name } = {}] = stored
  for (const { statusCode, body } of [first, second])
    expect([statusCode, JSON.parse(body)]).toMatchObject([201, { id, name }])
})
