import { managementDocument } from '@usher/contract/openapi'
import { expect } from 'vitest'
import { operationsOf } from '../contract/document-operations.js'
import { withStore } from '../support/api.js'
import { startApp } from '../support/app.js'

/** `it` with a server whose public API any page may use, and one with a separate port for the management API. */
const it = withStore.extend('ports', { scope: 'file' }, async ({ store }, { onCleanup }) => {
  const [shared, apart] = await Promise.all([startApp(store), startApp(store, { MANAGEMENT_PORT: '3001' })])
  onCleanup(() => Promise.all([shared.close(), apart.close()]).then(() => undefined))
  return [shared.app, apart.managementApp]
})

const paths = new Set([
  '/management/docs',
  ...operationsOf(managementDocument('http://localhost:3000', '0')).map(({ path }) =>
    path.replace(/\{\w+\}/g, '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01'),
  ),
])

it.for([...paths])('no response of %s has a header of CORS', async (url, { ports }) => {
  for (const app of ports) {
    for (const method of ['OPTIONS', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const) {
      const preflight = method === 'OPTIONS' && { 'access-control-request-method': 'POST' }
      const headers = { origin: 'https://app.example.com', ...preflight }
      const response = await app?.inject({ method, url, headers })
      const names = Object.keys(response?.headers ?? {})
      expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([])
      if (method === 'OPTIONS') expect([response?.statusCode, names.includes('allow')]).toEqual([204, true])
    }
  }
})

it('no response of the port of the management API has a header of CORS', async ({ ports: [, apart] }) => {
  for (const url of ['/healthz', '/nowhere']) {
    const response = await apart?.inject({ url, headers: { origin: 'https://app.example.com' } })
    expect(response?.headers).not.toHaveProperty('access-control-allow-origin')
  }
})
