import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Scope } from '@usher/contract/management'
import { createClient } from '@usher/sdk'
import { createManagementClient, orThrow } from '@usher/sdk/management'
import { describe, expect, vi } from 'vitest'
import { expireCursors } from '../../server/domain/management/expire-cursors.js'
import { startChild } from '../support/child.js'
import { createApiKey, setDatabase } from '../support/operator-changes.js'
import { snippetsOf } from '../support/snippets.js'
import { loadEmbeddedTemplate } from '../support/store.js'
import { it as guidesTest } from './guide-files.js'

/** `it` with a new API key in the environment of the guides. */
const it = guidesTest.extend('apiKey', async ({ clock, store, database }) => {
  // The store's clock decides which tokens a new password revokes.
  clock.now = Date.now()
  const now = new Date(clock.now)
  const { key } = await createApiKey({ store, now }, database, {
    name: 'backend',
    scopes: Scope.options,
    expiresInSeconds: 3600,
  })
  vi.stubEnv('USHER_API_KEY', key)
  return key
})
it.afterAll(({ usher }) => usher.app.server.closeAllConnections())

describe('the guide to provision customers', () => {
  it('creates a customer once, adds users, changes the plan, and deletes the customer', async ({
    apiKey: _,
    load,
    linkTo,
    usher,
    origin,
    database,
  }) => {
    const customers = await load('provisioning', "export * from './customers'")
    const emails = ['joseph@looms.example', 'marie@looms.example']
    const looms = { id: 'customer-1', name: 'Looms', email: emails[0] }
    const tenantId = await customers.provision(looms)
    expect(await customers.provision(looms)).toBe(tenantId)
    const [, mailed = ''] = (await linkTo(emails[0] ?? '')).split('/reset-password#code=')
    const { workspaceSlug: workspace, databaseName } = database
    const joseph = createClient({ baseUrl: origin, workspace, database: databaseName })
    await orThrow(joseph.resetPassword({ code: mailed, newPassword: 'several random common words' }))
    await orThrow(joseph.inviteMember(tenantId, { email: 'fanny@looms.example', role: 'admin' }))

    const owned = await database.signedUp({ email: emails[1] })
    await expect(customers.addMember('customer-1', emails[1])).rejects.toThrow('has not verified it')
    const link = await customers.invitationLink(owned.id)
    const newPassword = 'four random common words'
    const code = link.split('#code=')[1]
    const url = `${database.users}/password-reset/confirm`
    await usher.send({ method: 'POST', url, payload: { code, newPassword } })
    await customers.addMember('customer-1', emails[1])
    const members = await customers.membersOf('customer-1')
    expect(members.map(({ email }: { email: string }) => email)).toEqual(emails)

    await Promise.all([customers.setPlan('customer-1', 'trial'), customers.setPlan('customer-1', 'pro')])
    const { data } = await customers.disable(owned.id)
    expect((await database.login({ email: emails[1], password: newPassword })).statusCode).toBe(401)
    expect(data).toBeUndefined()

    await customers.provision({ id: 'customer-2', name: 'Cards', email: emails[1] })
    const fetchOnce = fetch
    const cut = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
      if (String(url).endsWith(`/users/${owned.id}`)) return new Response(null, { status: 502 })
      return fetchOnce(url, init)
    })
    await expect(customers.offboard('customer-1')).rejects.toThrow('502')
    cut.mockRestore()
    await customers.offboard('customer-1')
    await expect(customers.tenantOf('customer-1')).rejects.toThrow('no customer')
    const left = await customers.membersOf('customer-2')
    expect(left).toMatchObject([{ email: emails[1], disabled: true, memberships: [{ name: 'Cards' }] }])
  })

  const hasTools = ['curl', 'jq'].every((tool) => spawnSync(tool, ['--version']).status === 0)
  it.skipIf(!hasTools)('does the same with curl', async ({ apiKey, folder, origin, database }) => {
    const blocks = await snippetsOf('docs/guides/provisioning.md')
    const { code = '' } = blocks.find(({ heading }) => heading === 'With curl') ?? {}
    const connected = code
      .replace('http://localhost:3000', origin)
      .replace('demo/databases/app', `${database.workspaceSlug}/databases/${database.databaseName}`)
    const child = startChild('sh', ['-e', '-c', `cd '${folder}'\n${connected}`], { USHER_API_KEY: apiKey })
    const { stdout, stderr } = await child.ended
    expect(stderr).toBe('')
    expect(stdout.trim().split('\n')).toEqual([
      'ada@engines.example',
      'charles@engines.example',
      '{"plan":"pro"}',
      'true',
    ])
  })
})

const patience = { timeout: 20_000, interval: 5 }

/** `it` with the consumer of the guide, whose Postgres is one in memory. */
const withConsumer = it.extend(
  'consumer',
  async ({ apiKey, folder, load, usher, origin, database }, { onCleanup }) => {
    const { followEvents, connectTo } = await load(
      'events',
      "export * from './consumer'; export { connectTo } from 'pg'",
    )
    const pglite = await loadEmbeddedTemplate()
    onCleanup(() => pglite.close())
    await pglite.exec(await readFile(join(folder, 'events/schema.sql'), 'utf8'))
    const { workspaceSlug: workspace, databaseName } = database
    const client = createManagementClient({ baseUrl: origin, workspace, database: databaseName, apiKey })

    const isWaiting = () => usher.context.keptEvents.waits.count() > 0
    /** Runs the consumer until it waits for events or meets another condition. Returns whether it was killed before a statement. */
    async function run({ statements = Number.POSITIVE_INFINITY, until = isWaiting } = {}) {
      const stop = new AbortController()
      let count = 0
      connectTo(async (text: string, values?: unknown[]) => {
        count += 1
        // Postgres rolls back when the connection is closed. A killed process does nothing with a result.
        if (count === statements) await pglite.query('ROLLBACK')
        if (count >= statements) return new Promise(() => undefined)
        const { rows, affectedRows } = await pglite.query(text, values)
        return { rows, rowCount: affectedRows }
      })
      const running = followEvents(stop.signal)
      await vi.waitFor(() => expect(count >= statements || until()).toBe(true), patience)
      stop.abort()
      if (count >= statements) return true
      await running
      await vi.waitFor(() => expect(isWaiting()).toBe(false), patience)
      return false
    }
    /** Runs the consumer again and again, and kills it before each of its statements in turn. */
    async function surviveKills() {
      let statements = 1
      while (await run({ statements })) statements += 1
      return statements
    }
    const rowsOf = async (statement: string) => (await pglite.query(statement)).rows
    async function expectCopy() {
      const users: object[] = []
      for await (const { id, email, disabled } of client.users()) users.push({ id, email, disabled })
      expect(await rowsOf('SELECT * FROM users ORDER BY id')).toEqual(users)
    }
    async function expectWelcomeMails() {
      const mails: object[] = []
      for await (const { id, type, data } of client.events())
        if (type === 'user.created') mails.push({ event_id: id, user_id: data.userId })
      expect(await rowsOf('SELECT * FROM welcome_mails ORDER BY event_id')).toEqual(mails)
    }
    return { client, run, surviveKills, expectCopy, expectWelcomeMails }
  },
)

describe('the guide to read events', () => {
  withConsumer(
    'misses no event wherever the consumer is killed',
    async ({ database, store, clock, consumer }) => {
      await database.signedUp()
      await setDatabase(store, database, { eventsKept: 7 })
      clock.cacheAhead += 6_000
      const [grace, ada] = [await database.signedUp(), await database.signedUp()]
      expect(await consumer.surviveKills()).toBeGreaterThan(10)
      await consumer.expectCopy()
      await consumer.expectWelcomeMails()

      await database.signedUp()
      await consumer.client.changeUser(grace.id, { disabled: true })
      await consumer.client.removeUser(ada.id)
      expect(await consumer.surviveKills()).toBeGreaterThan(7)
      await consumer.expectCopy()
      await consumer.expectWelcomeMails()
    },
  )

  withConsumer(
    'copies all users again after a restore of the store, and after an interval without events',
    async ({ database, store, clock, consumer }) => {
      const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
      await setDatabase(store, database, { eventsKept: 7 })
      clock.cacheAhead += 6_000
      const { id } = await database.signedUp()
      await consumer.run()
      await expireCursors(store, database)
      await consumer.run()
      await consumer.expectCopy()
      await consumer.expectWelcomeMails()
      expect(logged).not.toHaveBeenCalled()

      await setDatabase(store, database, { eventsKept: 0 })
      clock.cacheAhead += 6_000
      await consumer.client.changeUser(id, { disabled: true })
      await consumer.run({ until: () => logged.mock.calls.length > 0 })
      expect(logged.mock.calls).toMatchObject([[{ code: 'events_not_kept' }]])
      await setDatabase(store, database, { eventsKept: 7 })
      clock.cacheAhead += 6_000
      await consumer.run()
      await consumer.expectCopy()
    },
  )
})
