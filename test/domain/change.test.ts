import { expect } from 'vitest'
import { type Actor, type Rule, runChange } from '../../server/domain/change.js'
import { findDatabase } from '../../server/domain/management/databases.js'
import { changeTenant } from '../../server/domain/tenants/tenants.js'
import { revokeTokens } from '../../server/domain/users/user-changes.js'
import { it } from '../support/operator.js'
import { setDatabase } from '../support/operator-changes.js'

const userId = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa'

/** A rule that only says what it has changed. */
const disabling: Rule<string> = async () => ({ result: 'done', facts: [{ type: 'user.disabled', userId }] })

it.for([
  [{ kind: 'operator' }, {}, {}],
  [{ kind: 'backend', apiKey: { id: 'key-1', scopes: new Set() } }, { apiKey: 'key-1' }, { apiKey: 'key-1' }],
  [{ kind: 'user', user: { id: 'user-1' } as never }, {}, { actorId: 'user-1' }],
  [{ kind: 'user', user: { id: userId } as never }, {}, {}],
  [{ kind: 'visitor' }, {}, {}],
] as const satisfies [Actor, object, object][])(
  'the event, audit line and delivery of a change by %s follow from its fact',
  async ([actor, ofEvent, ofAudit], { usher, database }) => {
    await setDatabase(usher.store, database, { webhookUrl: 'https://hooks.example.com', eventsKept: 7 })
    const lines: object[] = []
    const log = { level: 'info', child: () => ({ info: (fields: object) => void lines.push(fields) }) }
    const delivered: object[] = []
    const result = await runChange(
      { store: usher.store, now: () => usher.clock.now, deliver: (each) => void delivered.push(...each) },
      { database: await findDatabase(usher.store, database), caller: { log }, actor },
      disabling,
    )
    const where = { databaseId: database.id }
    const payloads = [
      ...(await usher.store.prisma.message.findMany({ where })),
      ...(await usher.store.prisma.keptEvent.findMany({ where })),
    ].map(({ payload }) => payload)
    const event = { type: 'user.disabled', userId, ...ofEvent }
    expect(result).toBe('done')
    expect(payloads).toEqual([event, event])
    expect(lines).toEqual([{ audit: 'user.disabled', databaseId: database.id, userId, ...ofAudit }])
    expect(delivered).toEqual([{ databaseId: database.id, kind: 'webhook' }])
  },
)

it('a change that fails writes, audits and delivers nothing', async ({ usher, database }) => {
  await setDatabase(usher.store, database, { eventsKept: 7 })
  const called: unknown[] = []
  const log = { level: 'info', child: () => ({ info: (line: unknown) => void called.push(line) }) }
  const failing: Rule<undefined> = async (change) => {
    await change.query('DELETE FROM usher.tenant WHERE database_id = $1::uuid', [database.id])
    throw new Error('failed')
  }
  const { tenants } = await database.signedUp({ newTenant: 'Engines' })
  const running = runChange(
    { store: usher.store, now: Date.now, deliver: (each) => void called.push(each) },
    { database: await findDatabase(usher.store, database), caller: { log }, actor: { kind: 'operator' } },
    failing,
  )
  await expect(running).rejects.toThrow('failed')
  expect(called).toEqual([])
  expect(await usher.store.prisma.tenant.findMany({ where: { databaseId: database.id } })).toMatchObject([
    { id: tenants[0] },
  ])
})

it('a visitor may change no tenant and no user', async ({ usher, database }) => {
  const { id, tenants } = await database.signedUp({ newTenant: 'Engines' })
  const run = async (rule: Rule<unknown>) =>
    runChange(
      { store: usher.store, now: Date.now, deliver: () => undefined },
      {
        database: await findDatabase(usher.store, database),
        caller: { log: { level: 'silent', child: () => ({ info: () => undefined }) } },
        actor: { kind: 'visitor' },
      },
      rule,
    )
  const renaming = run((change) =>
    changeTenant(change, { tenantId: String(tenants[0]), changes: { name: 'Mine' } }),
  )
  await expect(renaming).rejects.toMatchObject({ code: 'tenant_not_found' })
  const revoking = run((change) => revokeTokens(change, { userId: id }))
  await expect(revoking).rejects.toMatchObject({ code: 'user_not_found' })
})
