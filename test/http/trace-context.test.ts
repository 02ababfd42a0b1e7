import { describe, expect } from 'vitest'
import { readTraceparent } from '../../server/http/request-tracing.js'
import { it as apiTest } from '../support/api.js'

const it = apiTest.extend('linesFor', ({ usher, database }) => async (headers: Record<string, string>) => {
  const before = usher.logged().length
  const payload = { email: 'ada@example.com', password: 'wrong password' }
  await usher.send({ method: 'POST', url: `${database.users}/login`, payload, headers })
  const lines = usher.logged().slice(before).trim().split('\n')
  return lines.map((line): Record<string, unknown> => JSON.parse(line))
})

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'

describe('traceparent', () => {
  it.each([
    ['of the current version', `00-${trace}-${span}-01`],
    ['that is not sampled', `00-${trace}-${span}-00`],
    ['of a later version', `01-${trace}-${span}-01`],
    ['of a later version with more fields', `cc-${trace}-${span}-01-what-the-future-holds`],
  ])('reads a traceparent %s', (_name, header) => {
    expect(readTraceparent(header)).toEqual({ trace_id: trace, span_id: span })
  })

  it.each([
    ['no characters', ''],
    ['a forbidden version', `ff-${trace}-${span}-01`],
    ['an all-zero trace id', `00-${'0'.repeat(32)}-${span}-01`],
    ['an all-zero span id', `00-${trace}-${'0'.repeat(16)}-01`],
    ['upper case', `00-${trace.toUpperCase()}-${span}-01`],
    ['a short trace id', `00-${trace.slice(1)}-${span}-01`],
    ['more fields than the current version has', `00-${trace}-${span}-01-more`],
    ['more characters without a dash', `01-${trace}-${span}-01.more`],
    ['flags of one digit', `00-${trace}-${span}-1`],
    ['a leading space', ` 00-${trace}-${span}-01`],
  ])('ignores a traceparent with %s', (_name, header) => {
    expect(readTraceparent(header)).toBeUndefined()
  })
})

describe('log lines', () => {
  it('logs the trace id and span id of a request', async ({ linesFor }) => {
    const lines = await linesFor({ traceparent: `00-${trace}-${span}-01` })
    expect(lines.map(({ msg }) => msg)).toEqual(['login.failed', 'answered'])
    for (const line of lines) expect(line).toMatchObject({ trace_id: trace, span_id: span })
  })

  it.for<Record<string, string>>([{}, { traceparent: 'x'.repeat(100) }])(
    'logs no trace id for the request headers %j',
    async (headers, { linesFor }) => {
      for (const line of await linesFor(headers)) expect(line).not.toHaveProperty('trace_id')
    },
  )
})

it('allows traceparent and tracestate in cross-origin requests', async ({ usher }) => {
  const { headers } = await usher.app.inject({
    method: 'OPTIONS',
    url: '/workspaces/a/databases/b/users',
    headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
  })
  expect(headers['access-control-allow-headers']).toMatch(/\btraceparent\b.*\btracestate\b/)
})
