import { gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { expect, it } from 'vitest'
import { readBearerToken } from '../../server/http/bearer-token.js'
import { keepBody, keepJson, sendKept } from '../../server/http/kept-body.js'
import { prefersHtml } from '../../server/http/negotiation.js'

/** Returns the response of a route that sends a body. */
function sent(bytes: string, headers: Record<string, string>, kept = keepBody(bytes, 'text/plain')) {
  const app = fastify()
  app.get('/', (request, reply) => sendKept(request, reply.header('vary', 'Origin'), kept))
  return app.inject({ url: '/', headers })
}

it('compresses a body of 1024 bytes or more for a client that accepts gzip', async () => {
  const gzip = { 'accept-encoding': 'br, gzip' }
  const large = await sent('x'.repeat(1024), gzip)
  expect(large.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Origin, Accept-Encoding' })
  expect(gunzipSync(large.rawPayload).toString()).toBe('x'.repeat(1024))
  for (const [bytes, headers, vary] of [
    ['x'.repeat(1023), gzip, 'Origin'],
    ['x'.repeat(1024), { 'accept-encoding': 'br' }, 'Origin, Accept-Encoding'],
    ['x'.repeat(1024), { 'accept-encoding': 'gzip;q=0.5, identity' }, 'Origin, Accept-Encoding'],
    ['x'.repeat(1024), { 'accept-encoding': 'gzip;q=0' }, 'Origin, Accept-Encoding'],
  ] as const) {
    const response = await sent(bytes, headers)
    expect(response.headers).toMatchObject({ vary, 'content-type': 'text/plain' })
    expect(response.headers).not.toHaveProperty('content-encoding')
    expect(response.body).toBe(bytes)
  }
})

it('compresses a body once', async () => {
  const kept = keepBody('x'.repeat(1024), 'text/plain')
  await sent('', { 'accept-encoding': 'gzip' }, kept)
  const { gzip } = kept
  await sent('', { 'accept-encoding': 'gzip' }, kept)
  expect(gzip).toBeDefined()
  expect(kept.gzip).toBe(gzip)
})

it('sends no body to a client that has it', async () => {
  const { etag } = keepBody('body', 'text/plain')
  for (const known of [etag, etag.slice(2), etag.replace(/"$/, '-gzip"'), `"other", ${etag}`, '*', ' * ']) {
    const { statusCode, body, headers } = await sent('body', { 'if-none-match': known })
    expect([statusCode, body, headers.etag]).toEqual([304, '', etag])
  }
  for (const known of ['"other"', '**', etag.slice(3)])
    expect((await sent('body', { 'if-none-match': known })).statusCode).toBe(200)
  expect(keepBody('other', 'text/plain').etag).not.toBe(etag)
  expect(keepJson({ a: 1 })).toMatchObject({ bytes: '{"a":1}', type: 'application/json; charset=utf-8' })
})

it.for([
  [undefined, false],
  ['application/json', false],
  ['*/*', false],
  ['text/html', true],
  ['text/html,application/xhtml+xml,*/*;q=0.8', true],
  ['application/json, text/html', false],
  ['application/json;q=0.5, text/html', true],
  ['image/png', false],
] as const)('a client that accepts %s prefers a page: %s', async ([accept, isPreferred]) => {
  const app = fastify()
  app.get('/', async (request, reply) => ({ isPreferred: prefersHtml(request, reply) }))
  const response = await app.inject({ url: '/', headers: accept ? { accept } : {} })
  expect(response.json()).toEqual({ isPreferred })
  expect(response.headers.vary).toBe('Accept')
})

it.for([
  [undefined, undefined],
  ['Bearer token', 'token'],
  ['bearer   token ', 'token'],
  ['Bearer ', undefined],
  ['Bearer', undefined],
  ['Basic token', undefined],
  ['Bearertoken', undefined],
] as const)('the token of the header Authorization: %s is %s', ([authorization, token]) => {
  expect(readBearerToken(authorization)).toBe(token)
})
