import { Scope } from '@usher/contract/management'
import { expect, vi } from 'vitest'
import { createApiKey } from '../../server/domain/management/api-keys.js'
import { setDatabase } from '../../server/domain/management/databases.js'
import { password, type TestApi } from './app.js'
import type { Smtp } from './smtp.js'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Sends requests that cause the statements of each operation of the management API. */
export async function useManagement(api: TestApi, smtp: Smtp) {
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
      headers: { authorization: `Bearer ${key}`, ...(once && { 'idempotency-key': once }) },
      ...(payload && { payload }),
    })
    expect([`${method} ${path}`, response.statusCode]).toEqual([`${method} ${path}`, status])
    return status === 204 ? {} : response.json()
  }
  const { tenants } = await database.signedUp({ newTenant: 'Engines' })
  const tenant = tenants[0] ?? ''
  const mailed = smtp.mails.length
  const userId = await useUsers(send, tenant)
  await useTenants(send, userId)
  await changeUsers(send, userId)
  await vi.waitFor(() => expect(smtp.mails.length).toBe(mailed + 1), 10_000)
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
  for (const filter of [
    '',
    '?disabled=true',
    '?externalId=ada',
    `?ids=${id}`,
    '?email=ada@example.com',
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
  await send(204, ['DELETE', path])
}

async function changeUsers(send: Send, id: string) {
  for (const changes of [
    { email: 'lovelace@example.com' },
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
