import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTraceparent } from '../../server/http/traceparent.js'
import { startApi, type TestApi } from '../support/app.js'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'

describe('traceparent', () => {
  it.each([
    ['of the present version', `00-${trace}-${span}-01`],
    ['that is not sampled', `00-${trace}-${span}-00`],
    ['of a later version', `01-${trace}-${span}-01`],
    ['of a later version, with more in it', `cc-${trace}-${span}-01-what-the-future-holds`],
  ])('%s is read', (_what, header) => {
    expect(readTraceparent(header)).toEqual({ trace_id: trace, span_id: span })
  })

  it.each([
    ['nothing', ''],
    ['a forbidden version', `ff-${trace}-${span}-01`],
    ['no trace', `00-${'0'.repeat(32)}-${span}-01`],
    ['no span', `00-${trace}-${'0'.repeat(16)}-01`],
    ['upper case', `00-${trace.toUpperCase()}-${span}-01`],
    ['a short trace', `00-${trace.slice(1)}-${span}-01`],
    ['more than the present version has', `00-${trace}-${span}-01-more`],
    ['more without a dash', `01-${trace}-${span}-01.more`],
    ['flags of one digit', `00-${trace}-${span}-1`],
    ['something before it', ` 00-${trace}-${span}-01`],
  ])('with %s is none', (_what, header) => {
    expect(readTraceparent(header)).toBeUndefined()
  })
})

describe('log lines', () => {
  let api: Awaited<ReturnType<typeof startApi>>
  beforeAll(async () => {
    api = await startApi()
  })
  afterAll(() => api.close())

  async function linesFor(headers: Record<string, string>) {
    const before = api.logged().length
    await api.send({ method: 'POST', url: `${api.database.users}/login`, payload: login, headers })
    return parseLines(api.logged().slice(before))
  }
  const parseLines = (text: string): Record<string, unknown>[] =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  const login = { email: 'ada@example.com', password: 'wrong password' }

  it('of a request carry the trace that it belongs to', async () => {
    const lines = await linesFor({ traceparent: `00-${trace}-${span}-01` })
    expect(lines.map(({ msg }) => msg)).toEqual(['login.failed', 'answered'])
    for (const line of lines) expect(line).toMatchObject({ trace_id: trace, span_id: span })
  })

  it.each([[{}], [{ traceparent: 'x'.repeat(100) }]])('carry none for %j', async (headers) => {
    for (const line of await linesFor(headers)) expect(line).not.toHaveProperty('trace_id')
  })
})

it('a page of another origin may send its trace', async () => {
  const api: Pick<TestApi, 'app' | 'close'> = await startApi()
  const { headers } = await api.app.inject({
    method: 'OPTIONS',
    url: '/workspaces/a/databases/b/users',
    headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
  })
  expect(headers['access-control-allow-headers']).toMatch(/\btraceparent\b.*\btracestate\b/)
  await api.close()
})
