import { pino } from 'pino'
import { expect } from 'vitest'
import { createHostCall, hostCaller } from '../../server/run/host.js'
import { password } from '../support/app.js'
import { it, type Operator } from '../support/operator.js'

/** Returns what sends requests to operations of a server in its process, with the right of its machine. */
const callOf = ({ context, config }: Operator) =>
  createHostCall({ context, caller: hostCaller(pino({ level: 'silent' })), consoleUrl: config.consoleUrl })

it('the host may do what keys may, also what operators never may', async ({ usher, database }) => {
  const call = callOf(usher)
  const params = { workspaceSlug: database.workspaceSlug, databaseName: database.databaseName }
  const added = await call('addUser', { params, body: { email: 'ada@example.com', password } })
  expect(await database.login({ email: 'ada@example.com', password })).toMatchObject({ statusCode: 200 })
  const { users } = await call('listUsers', { params, query: { email: 'ADA@example.com' } })
  expect(users).toMatchObject([{ id: added.id }])
  const of = { ...params, userId: added.id }
  expect(await call('removeUser', { params: of })).toBeUndefined()
  await expect(call('getUser', { params: of })).rejects.toMatchObject({ code: 'user_not_found' })
})

it('a change of settings counts for the next call', async ({ usher, database }) => {
  const call = callOf(usher)
  const params = { workspaceSlug: database.workspaceSlug, databaseName: database.databaseName }
  const refused = { code: 'events_not_kept' }
  await expect(call('listEvents', { params })).rejects.toMatchObject(refused)
  await call('changeSettings', { params, body: { settings: { eventsKept: 30 } } })
  expect(await call('listEvents', { params })).toMatchObject({ events: [] })
  const { values } = await call('getSettings', { params })
  expect(values).toMatchObject({ eventsKept: 30 })
})

it('a call reports the field errors that HTTP reports, and names similar databases', async ({
  usher,
  database,
}) => {
  const call = callOf(usher)
  const params = { workspaceSlug: database.workspaceSlug, databaseName: database.databaseName }
  const body = { email: 'ada', password: 'short' }
  await expect(call('addUser', { params, body })).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [
      { path: 'email', code: 'email_invalid' },
      { path: 'password', code: 'too_short' },
    ],
  })
  const misspelt = { ...params, databaseName: `${params.databaseName}x` }
  await expect(call('listTenants', { params: misspelt })).rejects.toMatchObject({
    code: 'database_not_found',
    suggestion: `${params.workspaceSlug}/${params.databaseName}`,
  })
  const inNone = { params: { workspaceSlug: 'none-such' }, body: { name: 'app' } }
  await expect(call('createDatabase', inNone)).rejects.toMatchObject({ code: 'workspace_not_found' })
  await expect(call('getOperator' as 'listServers', {})).rejects.toMatchObject({
    code: 'route_not_found',
  })
})
