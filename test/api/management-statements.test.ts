import { Scope } from '@usher/contract/management'
import { expect, vi } from 'vitest'
import { withStore } from '../support/api.js'
import { password, startApp } from '../support/app.js'
import { createApiKey, setDatabase } from '../support/operator-changes.js'

/** `it` with a server in this process whose statements are noted. */
const it = withStore.extend('server', { scope: 'file' }, async ({ store }, { onCleanup }) => {
  const usher = await startApp(store)
  onCleanup(usher.close)
  const database = await usher.newDatabase()
  await setDatabase(store, database, { appUrl: 'https://app.example.com' })
  const operation = { store, now: new Date(usher.clock.now) }
  const described = { name: 'backend', scopes: Scope.options, expiresInSeconds: 3600 }
  const { key } = await createApiKey(operation, database, described)
  async function send(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, payload?: object) {
    const query = vi.spyOn(usher.context.store, 'query')
    const response = await usher.send({
      method,
      url: `${database.users.replace(/users$/, 'management')}/${path}`,
      headers: { authorization: `Bearer ${key}` },
      ...(payload && { payload }),
    })
    const statements = query.mock.calls.map(([text]) => String(text))
    query.mockRestore()
    return { response, statements }
  }
  await send('GET', 'users')
  const { id } = await database.signedUp()
  const { tenants } = await database.signedUp({ newTenant: 'Engines' })
  return { send, database, id, tenant: String(tenants[0]) }
})

it('no rule looks up the database that a request has found already', async ({ server }) => {
  const { send, id, tenant } = server
  const requests: Parameters<typeof send>[] = [
    ['GET', `users?tenant=${tenant}`],
    ['POST', 'users', { email: 'ada@example.com', password, tenants: [{ id: tenant }] }],
    ['PATCH', `users/${id}`, { preferredName: 'Ada', disabled: true }],
    ['PATCH', `users/${id}`, { disabled: false }],
    ['PUT', `users/${id}/password`, { password: `new ${password}` }],
    ['POST', `users/${id}/codes`, { purpose: 'password_reset', deliver: 'mail' }],
    ['DELETE', `users/${id}/sessions`],
    ['DELETE', `users/${id}/failed-logins`],
    ['POST', 'tenants', { name: 'Looms' }],
    ['PATCH', `tenants/${tenant}`, { name: 'Mills' }],
    ['PUT', `tenants/${tenant}/members/${id}`],
    ['GET', `tenants/${tenant}/members`],
    ['DELETE', `tenants/${tenant}/members/${id}`],
    ['DELETE', `tenants/${tenant}`],
    ['DELETE', `users/${id}`],
  ]
  for (const [method, path, payload] of requests) {
    const { response, statements } = await send(method, path, payload)
    expect(response.statusCode, path).toBeLessThan(300)
    expect(statements.filter((text) => text.includes('usher.workspace'))).toEqual([])
  }
})

it('getUser reads the key and the user in one statement, and failed logins only if they may delay a login', async ({
  server: { send, database },
}) => {
  const email = 'grace@example.com'
  const { id } = await database.signedUp({ email })
  const read = async () => {
    const { statements } = await send('GET', `users/${id}`)
    // Without those that deliver messages at the same time.
    return statements.filter((text) => /usher\.(api_key|"user"|login_failures)/.test(text)).length
  }
  expect(await read()).toBe(1)
  for (let count = 0; count < 6; count++) await database.login({ email, password: 'wrong password' })
  expect(await read()).toBe(2)
})
