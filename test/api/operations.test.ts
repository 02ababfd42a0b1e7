import { gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { it } from '../support/api.js'

it.for(['/healthz', '/readyz'])('returns 200 on %s', async (url, { usher }) => {
  const response = await usher.send({ method: 'GET', url })
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({ status: 'ok' })
})

it('returns 503 on /readyz while the store lacks a migration', async ({ usher }) => {
  const { prisma } = usher.store
  const [row] = await prisma.$queryRaw<{ id: string }[]>`
    UPDATE usher._prisma_migrations SET rolled_back_at = now()
    WHERE migration_name = (SELECT max(migration_name) FROM usher._prisma_migrations) RETURNING id`
  const response = await usher.send({ method: 'GET', url: '/readyz' })
  await prisma.$executeRaw`UPDATE usher._prisma_migrations SET rolled_back_at = NULL WHERE id = ${row?.id}`
  expect(response.statusCode).toBe(503)
  expect(response.json().code).toBe('unavailable')
  expect(response.headers['retry-after']).toBe('1')
})

it.for([
  ['/openapi.json', '3.1.0'],
  ['/openapi-3.0.json', '3.0.3'],
  ['/management/openapi.json', '3.1.0'],
  ['/management/openapi-3.0.json', '3.0.3'],
] as const)('returns %s in version %s with its own base URL', async ([url, version], { usher }) => {
  const document = (await usher.send({ method: 'GET', url })).json()
  expect(document.openapi).toBe(version)
  expect(document.servers[0].url).toBe('http://localhost:3000')
})

it('returns 404 for the document of an unknown version', async ({ usher }) => {
  const response = await usher.send({ method: 'GET', url: '/openapi-2.0.json' })
  expect([response.statusCode, response.json().code]).toEqual([404, 'route_not_found'])
})

it.for([
  ['gzip', 'gzip'],
  ['gzip;q=0.5, identity;q=0.4', 'gzip'],
  ['gzip;q=0', undefined],
  ['br', undefined],
  [undefined, undefined],
] as const)(
  'returns the OpenAPI document to Accept-Encoding: %s with Content-Encoding: %s',
  async ([accepted, coding], { usher }) => {
    const headers: Record<string, string> = accepted === undefined ? {} : { 'accept-encoding': accepted }
    const response = await usher.inject({ method: 'GET', url: '/openapi.json', headers })
    expect(response.headers['content-encoding']).toBe(coding)
    expect(response.headers.vary).toBe('Accept-Encoding')
    const { rawPayload } = response
    const text = coding ? gunzipSync(rawPayload).toString() : response.body
    expect(JSON.parse(text).info.title).toBe('Usher')
    if (coding) expect(rawPayload.length).toBeLessThan(Buffer.byteLength(text) / 4)
  },
)
