import { METHODS } from 'node:http'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { inHeader, type Request, validRequests, type World } from './requests.js'
import { tokensFor } from './tokens.js'
import { mark } from './values.js'

type Mutation = (request: Request) => Request

/** Requests with one to three violations of the contract. */
export const hostileRequests = (world: World): fc.Arbitrary<Request> =>
  fc
    .tuple(validRequests(world), fc.array(mutations(world), { minLength: 1, maxLength: 3 }))
    .map(([request, changes]) => changes.reduce((changed, change) => change(changed), request))

const mutations = (world: World) =>
  fc.oneof(
    { weight: 6, arbitrary: fieldMutations },
    { weight: 2, arbitrary: bodyMutations },
    { weight: 4, arbitrary: headerMutations(world) },
    { weight: 2, arbitrary: targetMutations },
    {
      weight: 1,
      arbitrary: methods.map(
        (method): Mutation =>
          (request) => ({ ...request, method }),
      ),
    },
  )

// CONNECT requests a tunnel and has no path.
const methods = fc.constantFrom(...METHODS.filter((method) => method !== 'CONNECT'))

const nested = (open: string, inner: string, close: string, depth: number) =>
  open.repeat(depth) + inner + close.repeat(depth)

/** Valid and almost valid JSON texts. */
const oddJson = fc.oneof(
  fc.constantFrom('null', 'true', '[]', '{}', '""', '"\\u0000"', '"\\ud800"', '"a\\udfffb"', '-0', '1e999'),
  fc.constantFrom('1e-999', '123456789012345678901234567890', 'NaN', 'undefined', "'x'", '01', '"\t"', ''),
  fc.constantFrom('{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}'),
  fc.constantFrom(nested('[', '', ']', 5000), nested('{"a":', '1', '}', 2000), nested('[', '', ']', 8000)),
  fc.constantFrom(JSON.stringify('x'.repeat(10_000)), JSON.stringify('é'.repeat(8000)), '"x', '{"a":1,}'),
  fc.json({ maxDepth: 3 }),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(mark('text') + text)),
  fc.array(fc.nat(0xffff)).map((units) => JSON.stringify(String.fromCharCode(...units))),
)

const oddKeys = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'then',
    '',
    'length',
  ),
  fc.constantFrom(
    'email',
    'password',
    'newTenant',
    'preferredName',
    'newPassword',
    'refreshToken',
    'EMAIL',
    'email ',
    'email\0',
    'ｅmail',
  ),
  fc.constantFrom('id', 'tenants', 'tenantId', 'databaseId', 'passwordHash', 'disabledAt', 'canonicalEmail'),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

const onFields =
  (change: (fields: [string, string][]) => [string, string][]): Mutation =>
  (request) => ({ ...request, fields: change(request.fields ?? []) })

const fieldMutations: fc.Arbitrary<Mutation> = fc.oneof(
  fc.nat(3).map((at) => onFields((fields) => fields.filter((_, index) => index !== at))),
  fc
    .tuple(fc.nat(3), oddJson)
    .map(([at, json]) =>
      onFields((fields) => fields.map(([key, value], index) => [key, index === at ? json : value])),
    ),
  fc
    .tuple(fc.nat(3), oddJson)
    .map(([at, json]) => onFields((fields) => [...fields, [fields[at]?.[0] ?? '"email"', json]])),
  fc
    .tuple(oddKeys, oddJson)
    .map(([key, json]) => onFields((fields) => [[JSON.stringify(key), json], ...fields])),
)

const writing =
  (write: Request['write']): Mutation =>
  (request) => ({ ...request, fields: request.fields ?? [], write })

const insert = (text: string, at: number, bytes: Uint8Array | string) =>
  Buffer.concat([Buffer.from(text.slice(0, at)), Buffer.from(bytes as string), Buffer.from(text.slice(at))])

const bodyMutations: fc.Arbitrary<Mutation> = fc.oneof(
  oddJson.map((json) => writing(() => json)),
  fc.nat(200).map((length) => writing((text) => text.slice(0, length))),
  fc
    .tuple(fc.nat(60), fc.uint8Array({ minLength: 1, maxLength: 8 }))
    .map(([at, bytes]) => writing((text) => insert(text, at, bytes))),
  fc.tuple(oddJson, oddJson).map(([before, after]) => writing((text) => before + text + after)),
  fc.constantFrom(
    writing((text) => `\ufeff${text}`),
    writing((text) => Buffer.from(text, 'utf16le')),
    writing((text) => gzipSync(text)),
    writing((text) => `[${text}]`),
    writing((text) => JSON.stringify(text)),
    writing((text) => text + ' '.repeat(20_000)),
    writing((text) => ' '.repeat(Math.max(16_384 - Buffer.byteLength(text), 0)) + text),
    writing((text) => new URLSearchParams({ json: text }).toString()),
  ),
)

const latin1 = fc.string({ unit: fc.nat(0xff).map((code) => String.fromCharCode(code)), maxLength: 300 })

/** Values of headers that the server may read. */
const headerValues: Record<string, string[]> = {
  'content-type': [
    'text/plain',
    'application/json; charset=utf-16',
    'application/json;charset="',
    'application/json, text/plain',
    'APPLICATION/LD+JSON',
    'multipart/form-data',
    'application/x-www-form-urlencoded',
    ';',
    '/',
    '',
  ],
  'content-encoding': ['gzip', 'br', 'deflate, gzip', 'identity', 'x'],
  accept: ['text/html', '*/*', 'text/*;q=0.1', 'application/xml', ',,,'],
  authorization: [
    'Bearer',
    'Bearer  ',
    'bearer a.b.c',
    'Basic YTpi',
    'Bearer a b',
    'Bearer\ta',
    'Bearer,',
    '',
  ],
  'idempotency-key': ['', 'x'.repeat(255), 'x'.repeat(256), mark('key'), 'é', '"quoted"'],
  origin: ['null', 'https://evil.example', '*', 'https://a b'],
  'access-control-request-method': ['POST', 'TRACE', '*', 'x y'],
  'access-control-request-headers': ['authorization', '*', 'x'.repeat(2000)],
  'access-control-request-private-network': ['true'],
  'x-request-id': ['', 'a b', '../..', 'x'.repeat(129), '<script>', '__proto__'],
  'x-forwarded-for': ['::1', 'unknown', '1.2.3.4, 5.6.7.8', ':::::', '1.2.3.4:80', "'", 'a%b%c::d::e'],
  'x-forwarded-host': ['evil.example'],
  'x-forwarded-proto': ['javascript'],
  'x-http-method-override': ['DELETE'],
  forwarded: ['for="[::1]";host=evil.example'],
  traceparent: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', '00-0-0-0', 'ff'],
  tracestate: ['a=b,,,='],
  'if-none-match': ['*', 'W/"x"'],
  'if-match': ['*', '"x"'],
  'if-modified-since': ['Thu, 01 Jan 1970 00:00:00 GMT', 'x'],
  'if-unmodified-since': ['Thu, 01 Jan 1970 00:00:00 GMT', 'x'],
  'if-range': ['"x"'],
  range: ['bytes=0-0', 'bytes=999999999-', 'bytes=5-1', 'x', 'bytes=0-,-1'],
  expect: ['100-continue', '200-maybe'],
  upgrade: ['h2c', 'websocket'],
  connection: ['upgrade', 'close', 'x-request-id, authorization', 'keep-alive'],
  te: ['trailers', 'x'],
  host: ['', 'evil.example', '[::1]:x', 'a b', '@:/'],
  cookie: ['a=b; __proto__=c', ';;;='],
  prefer: ['return=minimal'],
}

const headerMutations = (world: World): fc.Arbitrary<Mutation> => {
  const named = fc.oneof(
    ...Object.entries(headerValues).map(([name, values]) =>
      fc.tuple(fc.constant(name), fc.oneof(fc.constantFrom(...values), latin1)),
    ),
    fc.tuple(fc.constant('authorization'), tokensFor(world)),
    fc.tuple(
      fc.constant('authorization'),
      tokensFor(world).map((token) => `Bearer ${token}`),
    ),
    fc.tuple(fc.stringMatching(/^[a-z!#$%&'*+.^_`|~-]{1,30}$/), latin1),
  )
  return fc.oneof(
    named.map(
      ([name, value]): Mutation =>
        (request) => ({
          ...request,
          headers: [...request.headers.filter(([each]) => each !== name), inHeader(name, value)],
        }),
    ),
    fc.nat(2).map(
      (at): Mutation =>
        (request) => ({
          ...request,
          headers: request.headers.filter((_, index) => index !== at),
        }),
    ),
  )
}

const oddSegments = fc.oneof(
  fc.constantFrom('..', '.', '%2e%2e', '%2F', 'a%2Fb', '..%2f..%2f', '%00', '%ff', '%', '%zz', '%u0041', ''),
  fc.constantFrom('x'.repeat(64), 'x'.repeat(1025), 'x'.repeat(9000), '%41'.repeat(400), '__proto__', '-'),
  fc.constantFrom(
    ':workspaceSlug',
    '*',
    ';a=b',
    '\\..\\',
    '%5c',
    '%0d%0aX-Injected:%20x',
    '%25%32%65',
    '$(id)',
  ),
  fc.webSegment({ size: 'small' }),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => encodeURIComponent(text)),
)

const onTarget =
  (change: (target: string) => string): Mutation =>
  (request) => ({ ...request, target: change(request.target) })

const targetMutations: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(fc.nat(7), oddSegments).map(([at, segment]) =>
    onTarget((target) => {
      const segments = target.split('/')
      return segments.map((each, index) => (index === (at % segments.length || 1) ? segment : each)).join('/')
    }),
  ),
  oddSegments.map((segment) => onTarget((target) => `${target}/${segment}`)),
  fc.webQueryParameters().map((query) => onTarget((target) => `${target}?${query}`)),
  fc.array(oddSegments, { maxLength: 6 }).map((segments) => onTarget(() => `/${segments.join('/')}`)),
  fc
    .tuple(fc.constantFrom('', '/', '/page.css', '/swagger-ui.css'), oddSegments)
    .map(([path, segment]) => onTarget(() => `/docs${path}/${segment}`)),
  fc.constantFrom('/', '/docs', '/docs/', '/docs/page.js').map((path) => onTarget(() => path)),
  fc.constantFrom(
    onTarget((target) => target.toUpperCase()),
    onTarget((target) => target.replace(/.$/, (last) => `%${last.charCodeAt(0).toString(16)}`)),
    onTarget((target) => `${target}?${'a=b&'.repeat(1000)}`),
    onTarget((target) => `${target}#a`),
    onTarget((target) => `${target}?__proto__[polluted]=1&constructor=1&%ff=%`),
  ),
)
