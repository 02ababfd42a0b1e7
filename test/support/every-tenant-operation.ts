import { expect } from 'vitest'
import { password, type TestApi } from './app.js'
import { putMember, setDatabase } from './operator-changes.js'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** Sends requests that cause the statements of each operation on tenants, and of a deletion by a last owner. */
export async function useTenants(api: TestApi) {
  const database = await api.newDatabase()
  await setDatabase(api.store, database, { roles: ['billing'] })
  const owner = await database.signedUp({ newTenant: 'Engines' })
  const member = await database.signedUp()
  const root = database.users.replace(/users$/, '')
  const headers = { authorization: `Bearer ${owner.token.jwt}` }
  async function send(status: number, [method, path]: [Method, string], payload?: object) {
    const response = await api.send({ method, url: `${root}${path}`, headers, ...(payload && { payload }) })
    expect([`${method} ${path}`, response.statusCode]).toEqual([`${method} ${path}`, status])
    return status === 204 ? {} : response.json()
  }
  const { id } = await send(201, ['POST', 'tenants'], { name: 'Looms' })
  const path = `tenants/${id}`
  const members = `${path}/members`
  const operation = { store: api.store, now: new Date(api.clock.now) }
  await putMember(operation, database, { tenantId: id, userRef: member.id })
  await send(200, ['GET', path])
  await send(200, ['PATCH', path], { name: 'Mills' })
  await send(200, ['GET', members])
  await send(200, ['GET', `${members}?limit=1&after=${owner.id}`])
  await send(409, ['POST', 'users/me/deletion'], { password })
  await send(409, ['DELETE', `${members}/${owner.id}`])
  await send(200, ['PATCH', `${members}/${member.id}`], { role: 'owner' })
  await send(200, ['PATCH', `${members}/${member.id}`], { role: 'billing' })
  await send(204, ['DELETE', `${members}/${member.id}`])
  await putMember(operation, database, { tenantId: id, userRef: member.id })
  await send(204, ['DELETE', path])
  await send(204, ['DELETE', `tenants/${owner.tenants[0]}/members/${owner.id}`])
  await send(404, ['GET', path])
}
