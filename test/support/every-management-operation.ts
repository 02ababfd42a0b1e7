import { Scope } from '@usher/contract/management'
import { expect } from 'vitest'
import { password, type TestApi } from './app.js'
import { mailsDelivered } from './every-email-change.js'
import { createApiKey, setDatabase } from './operator-changes.js'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Sends requests that cause the statements of each operation of the management API. */
export async function useManagement(api: TestApi) {
  const database = await api.newDatabase()
  const now = new Date(api.clock.now)
  await setDatabase(api.store, database, { appUrl: 'https://app.example.com' })
  const described = { name: 'backend', scopes: Scope.options, expiresInSeconds: 3600 }
  const { key } = await createApiKey({ store: api.store, now }, database, described)
  const root = database.users.replace(/users$/, 'management')
  /** Sends a request, and returns the body of the response. */
  async function send(status: number, [method, path]: [Method, string], payload?: object, once?: string) {
    const response = await api.send({
      method,
      url: `${root}/${path}`,
      headers: {
        authorization: `Bearer ${key}`,
        ...(once && { 'idempotency-key': once }),
        ...(path === 'users/import' && { 'content-type': 'application/x-ndjson' }),
      },
      ...(payload && { payload }),
    })
    expect([`${method} ${path}`, response.statusCode]).toEqual([`${method} ${path}`, status])
    return status === 204 ? {} : response.json()
  }
  const { tenants } = await database.signedUp({ newTenant: 'Engines' })
  const tenant = tenants[0] ?? ''
  // So that the failed logins of the users are read.
  for (let times = 0; times < 6; times++)
    await database.login({ email: 'ada@example.com', password: 'wrong password' })
  const userId = await useUsers(send, tenant)
  await useTenants(send, userId)
  await changeUsers(send, userId)
  await mailsDelivered(api, database)
}

type Send = (
  status: number,
  operation: [Method, string],
  payload?: object,
  once?: string,
) => Promise<{ id?: string }>

async function useUsers(send: Send, tenant: string) {
  const ada = { email: 'ada@example.com', password, tenants: [{ id: tenant }] }
  const { id } = await send(201, ['POST', 'users'], ada, 'once')
  await send(201, ['POST', 'users'], ada, 'once')
  await send(422, ['POST', 'users'], { ...ada, email: 'grace@example.com' }, 'once')
  await send(409, ['POST', 'users'], ada)
  await send(201, ['POST', 'users'], { email: 'grace@example.com', sendMail: true })
  await send(200, ['POST', 'users/import'], { email: 'joan@example.com' }, 'job-7')
  for (const filter of [
    '',
    '?disabled=true',
    '?externalId=ada',
    `?ids=${id}`,
    '?email=ada@example.com',
    '?emailPrefix=ada',
    `?tenant=${tenant}`,
    `?after=${id}`,
  ])
    await send(200, ['GET', `users${filter}`])
  await send(200, ['GET', `users/${id}`])
  return String(id)
}

async function useTenants(send: Send, userId: string) {
  const { id } = await send(201, ['POST', 'tenants'], { name: 'Looms', externalId: 'looms' }, 'once')
  const path = `tenants/${id}`
  await send(201, ['POST', 'tenants'], { name: 'Looms', externalId: 'looms' }, 'once')
  await send(200, ['GET', path])
  await send(200, ['GET', 'tenants'])
  await send(200, ['GET', `tenants?after=${id}`])
  await send(200, ['GET', 'tenants?externalId=looms'])
  await send(200, ['PATCH', path], { name: 'Mills', metadata: { plan: 'pro' } })
  await send(204, ['PUT', `${path}/members/${userId}`])
  await send(200, ['GET', `${path}/members`])
  await send(204, ['DELETE', `${path}/members/${userId}`])
  await send(204, ['PUT', `${path}/members/${userId}`], {})
  await useInvitations(send, path)
  await send(204, ['DELETE', path])
}

async function useInvitations(send: Send, tenant: string) {
  const path = `${tenant}/invitations`
  const body = { email: 'invited@example.com', role: 'admin' }
  const { id } = await send(201, ['POST', path], body, 'once')
  await send(201, ['POST', path], body, 'once')
  await send(201, ['POST', path], body)
  await send(200, ['GET', path])
  await send(200, ['GET', `${path}?after=${id}`])
  await send(204, ['DELETE', `${path}/${id}`])
}

async function changeUsers(send: Send, id: string) {
  for (const changes of [
    { email: 'lovelace@example.com' },
    { emailUndo: false },
    { preferredName: 'Ada', emailVerified: true },
    { disabled: true },
    { disabled: false },
  ])
    await send(200, ['PATCH', `users/${id}`], changes)
  await send(204, ['PUT', `users/${id}/password`], { password: `new ${password}` })
  const code = { purpose: 'password_reset', deliver: 'return' }
  await send(201, ['POST', `users/${id}/codes`], code, 'code')
  await send(200, ['GET', `users/${id}/sessions`])
  await send(204, ['DELETE', `users/${id}/sessions`])
  await send(204, ['DELETE', `users/${id}/failed-logins`])
  await send(204, ['DELETE', `users/${id}`])
}
