import { managementDocument, openApiDocument } from '@usher/contract/openapi'
import type { FastifyInstance } from 'fastify'
import { describe, expect } from 'vitest'
import { operationsOf } from '../contract/document-operations.js'
import { it as apiTest } from '../support/api.js'
import { startApp } from '../support/app.js'

const operationsIn = (documentOf: typeof openApiDocument) =>
  operationsOf(documentOf('http://localhost:3000', '0')).map(({ operationId, method, path }) => ({
    operationId,
    method,
    url: path.replace(/\{\w+\}/g, '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01'),
  }))
const managementOperations = operationsIn(managementDocument)
const checks = ['getHealth', 'getReadiness']
const publicOperations = operationsIn(openApiDocument).filter(
  ({ operationId }) => !checks.includes(operationId) && operationId !== 'getProblemType',
)

/** `it` with a server that has a separate port for the management API. */
const it = apiTest.extend('apart', { scope: 'file' }, async ({ store }, { onCleanup }) => {
  const apart = await startApp(store, { MANAGEMENT_PORT: '3001', CONSOLE: 'off' })
  onCleanup(apart.close)
  return apart
})

async function codeOf(app: FastifyInstance | undefined, { method, url }: { method: string; url: string }) {
  const response = await app?.inject({ method: method as 'GET', url })
  return response?.statusCode === 404 ? response.json().code : response?.statusCode
}

describe('with MANAGEMENT_PORT', () => {
  it.for(managementOperations)(
    'only that port serves $method $url, unless both must',
    async (operation, { apart }) => {
      const isOnBoth = operation.operationId === 'listRevocations'
      expect((await codeOf(apart.app, operation)) !== 'route_not_found').toBe(isOnBoth)
      expect(await codeOf(apart.managementApp, operation)).not.toBe('route_not_found')
    },
  )

  it.for([
    ...publicOperations,
    ...['/', '/docs', '/problems/unavailable'].map((url) => ({ method: 'GET', url })),
  ])('that port does not serve $method $url', async (operation, { apart }) => {
    expect(await codeOf(apart.managementApp, operation)).toBe('route_not_found')
  })

  it.for(['/healthz', '/readyz'])('both ports serve %s', async (url, { apart }) => {
    expect(await codeOf(apart.app, { method: 'GET', url })).toBe(200)
    expect(await codeOf(apart.managementApp, { method: 'GET', url })).toBe(200)
  })

  it('only that port shows its reference, which links to nothing that it lacks', async ({ apart }) => {
    expect(await codeOf(apart.app, { method: 'GET', url: '/management/docs' })).toBe('route_not_found')
    const page = await apart.managementApp?.inject('/management/docs')
    expect(page?.body).toContain('data-problems="http://localhost:3000/problems/"')
    expect(page?.body).not.toContain('href="../docs"')
    expect((await apart.inject({ url: '/docs' })).body).not.toContain('management/docs')
  })
})
