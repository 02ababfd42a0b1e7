import fc from 'fast-check'
import { hostileRequests } from './mutations.js'
import { bodyOf, type Request, validRequests, type World } from './requests.js'

/** Valid and invalid HTTP requests as sent over a socket, in Latin-1. */
export const wireRequests = (world: World): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.oneof(validRequests(world), hostileRequests(world)),
      framings,
      fc.array(fc.oneof(headMutations, byteMutations), { maxLength: 2 }),
    )
    .map(([request, frame, changes]) =>
      changes.reduce((bytes, change) => change(bytes), write(request, frame)).toString('latin1'),
    )

interface Framing {
  headers: string[]
  body: (body: Buffer) => Uint8Array
}

const line = (text: string) => Buffer.from(`${text}\r\n`, 'latin1')
/** Encodes characters beyond Latin-1 in UTF-8, as clients do in paths. */
const inHead = (text: string) => (/[^\0-\xff]/.test(text) ? Buffer.from(text).toString('latin1') : text)

function write(request: Request, framing: (body: Buffer) => Framing): Buffer {
  const body = bodyOf(request) ?? Buffer.alloc(0)
  const { headers, body: framed } = framing(body)
  const hasHost = request.headers.some(([name]) => name === 'host')
  const lines = [
    `${request.method} ${inHead(request.target)} HTTP/1.1`,
    ...(hasHost ? [] : ['Host: localhost']),
    ...request.headers.map((header) => header.join(': ')),
    ...(body.length > 0 ? headers : []),
    '',
  ]
  return Buffer.concat([...lines.map(line), ...(body.length > 0 ? [framed(body)] : [])])
}

const whole = (body: Buffer): Framing => ({
  headers: [`Content-Length: ${body.length}`],
  body: (each) => each,
})

const chunked =
  (size: number, end: string, extension = ''): ((body: Buffer) => Framing) =>
  () => ({
    headers: ['Transfer-Encoding: chunked'],
    body: (body) => {
      const parts: Buffer[] = []
      for (let at = 0; at < body.length; at += size) {
        const part = body.subarray(at, at + size)
        parts.push(line(part.length.toString(16) + extension), part, line(''))
      }
      return Buffer.concat([...parts, Buffer.from(end, 'latin1')])
    },
  })

const last = '0\r\n\r\n'
const wrong =
  (...headers: string[]) =>
  () => ({ headers, body: (body: Buffer) => body })

const framings: fc.Arbitrary<(body: Buffer) => Framing> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(whole) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 100 }).map((size) => chunked(size, last)) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      chunked(7, ''),
      chunked(7, '0\r\nX-Trailer: a\r\n\r\n'),
      chunked(7, '0\r\n__proto__: a\r\nContent-Length: 5\r\n\r\n'),
      chunked(7, last, ';a="b"'),
      chunked(7, last, `;${'x'.repeat(20_000)}`),
      chunked(7, last, ' '),
      chunked(7, 'ffffffffffffffff\r\nx'),
      chunked(7, '-1\r\n\r\n'),
      chunked(7, 'zz\r\n\r\n'),
      wrong(),
      wrong('Content-Length: 0'),
      wrong('Content-Length: 1'),
      wrong('Content-Length: 100000'),
      wrong('Content-Length: 99999999999999999999'),
      wrong('Content-Length: -1'),
      wrong('Content-Length: +5'),
      wrong('Content-Length: 0x10'),
      wrong('Content-Length: 5, 5'),
      wrong('Content-Length: 5', 'Content-Length: 6'),
      wrong('Content-Length: 5', 'Transfer-Encoding: chunked'),
      wrong('Transfer-Encoding: chunked'),
      wrong('Transfer-Encoding: identity'),
      wrong('Transfer-Encoding: gzip, chunked'),
      wrong('Transfer-Encoding: chunked, chunked'),
      wrong('Transfer-Encoding:\tchunked\x0b'),
      wrong('Transfer-Encoding : chunked'),
    ),
  },
)

type Mutation = (bytes: Buffer) => Buffer
const onHead =
  (change: (head: string) => string): Mutation =>
  (bytes) => {
    const end = bytes.indexOf('\r\n\r\n')
    return Buffer.concat([
      Buffer.from(change(bytes.toString('latin1', 0, Math.max(end, 0))), 'latin1'),
      bytes.subarray(Math.max(end, 0)),
    ])
  }

const headMutations: fc.Arbitrary<Mutation> = fc.oneof(
  fc
    .constantFrom('HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.2', 'http/1.1', 'HTTP/1.1 x', '', 'RTSP/1.0')
    .map((version) => onHead((head) => head.replace('HTTP/1.1', version))),
  fc
    .constantFrom(
      'X: a\0b',
      'X : a',
      ': a',
      'X',
      ' folded: x',
      'X: a\r\n b',
      'X: \x7f\x01',
      'X\0: a',
      '__proto__: a',
      'Host: other',
      'Content-Length: 3',
      'Expect: 100-continue',
      'Expect: a-pony',
      'Connection: close, keep-alive',
      'Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk',
      `X: ${'x'.repeat(20_000)}`,
      Array.from({ length: 2500 }, (_, index) => `X${index}: a`).join('\r\n'),
    )
    .map((header) => onHead((head) => `${head}\r\n${header}`)),
  fc.constantFrom<Mutation>(
    onHead((head) => head.replaceAll('\r\n', '\n')),
    onHead((head) => head.replaceAll('\r\n', '\r')),
    onHead((head) => head.replace(/\r\nHost: .*/i, '')),
    onHead((head) => head.replace(/ /g, '\t')),
    onHead((head) => head.toLowerCase()),
    onHead((head) => head.replace(/^\w+/, 'CONNECT')),
    onHead((head) => head.replace(/^\w+/, 'NONSENSE')),
    onHead((head) => head.replace(/^(\w+) \S+/, '$1 *')),
    onHead((head) => head.replace(/^(\w+) /, '$1 http://evil.example:99')),
    onHead((head) => head.replace(/^(\w+) \//, '$1 //')),
    onHead((head) => head.replace(/^(\w+) \//, '$1 ')),
    (bytes) => Buffer.concat([Buffer.from('\r\n\r\n'), bytes]),
    (bytes) => Buffer.concat([bytes, bytes]),
    (bytes) => Buffer.concat([bytes, Buffer.from('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n')]),
    (bytes) => Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), bytes]),
  ),
)

const byteMutations: fc.Arbitrary<Mutation> = fc.oneof(
  fc.nat(400).map(
    (length): Mutation =>
      (bytes) =>
        bytes.subarray(0, length),
  ),
  fc.tuple(fc.nat(400), fc.uint8Array({ minLength: 1, maxLength: 4 })).map(
    ([at, other]): Mutation =>
      (bytes) =>
        Buffer.concat([bytes.subarray(0, at), other, bytes.subarray(at + other.length)]),
  ),
  fc.uint8Array({ minLength: 1, maxLength: 300 }).map(
    (garbage): Mutation =>
      (bytes) =>
        Buffer.concat([bytes, garbage]),
  ),
)
