import { expect } from 'vitest'
import { it as consoleTest } from '../support/console.js'

const it = consoleTest.extend('owner', { scope: 'file' }, ({ console }) => console.owner())

it('an owner of the installation sees itself, creates a workspace and a database, and lists both', async ({
  owner,
}) => {
  const me = await owner.send('GET', '/operator/me')
  expect([me.statusCode, me.json().rights]).toEqual([200, [{ workspace: null, role: 'owner' }]])
  expect((await owner.send('POST', '/operator/workspaces', { slug: 'acme' })).statusCode).toBe(201)
  const created = await owner.send('POST', '/operator/workspaces/acme/databases', { name: 'app' })
  expect([created.statusCode, created.json().name]).toEqual([201, 'app'])
  const listed = await owner.send('GET', '/operator/workspaces?prefix=ac')
  expect(listed.json().workspaces).toMatchObject([{ slug: 'acme', databases: 1, role: 'owner' }])
  const databases = await owner.send('GET', '/operator/workspaces/acme/databases')
  expect(databases.json().databases).toMatchObject([{ name: 'app', isBeingDeleted: false }])
  const actions = (await owner.send('GET', '/operator/actions')).json().actions
  expect(actions).toMatchObject([
    { action: 'createDatabase', workspace: 'acme', outcome: 'done', operatorEmail: owner.email },
    { action: 'createWorkspace', outcome: 'done' },
  ])
})
