import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { eventTypes } from '../../server/domain/events/events.js'
import { verifyWebhook, type WebhookEvent, type WebhookRequest } from '../../verify/webhooks.js'

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const secret = newSecret()
// The library has no other clock.
const time = new Date(Math.floor(Date.now() / 1000) * 1000)
const now = () => time.getTime()
const data = { databaseId: 'd', userId: 'ü' }
const body = JSON.stringify({ type: 'user.created', timestamp: time.toISOString(), data })
const event = { id: 'one', type: 'user.created', timestamp: time.toISOString(), data }

/** Returns headers by the library of Standard Webhooks. */
const signed = (by = secret, at = time, text = body, id = 'one') => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(by).sign(id, at, text),
})
const codeOf = async (request: Partial<WebhookRequest>) =>
  (await verifyWebhook({ secret, headers: signed(), body, now, ...request })).error?.code

describe('verifyWebhook', () => {
  it('returns the event of what the library of Standard Webhooks has signed, in each form of headers and body', async () => {
    const bytes = new TextEncoder().encode(body)
    for (const headers of [signed(), new Headers(signed())])
      for (const each of [body, bytes, Buffer.from(body), bytes.buffer])
        expect(await verifyWebhook({ secret, headers, body: each, now })).toEqual({
          data: event,
          error: undefined,
        })
  })

  it('has a type for each type of event', () => {
    expectTypeOf<WebhookEvent['type']>().toEqualTypeOf<keyof typeof eventTypes>()
    expectTypeOf<Extract<WebhookEvent, { type: 'tenant.user_added' }>['data']>().toExtend<
      Record<'databaseId' | 'tenantId' | 'userId', string>
    >()
    expectTypeOf<Extract<WebhookEvent, { type: 'tenant.updated' }>['data']>().not.toHaveProperty('userId')
  })

  it('accepts one of several signatures and one of several secrets, and ignores other versions', async () => {
    const [one, other] = [signed(), signed(newSecret())].map((each) => each['webhook-signature'])
    const v2 = (one ?? '').replace('v1,', 'v2,')
    const codes = []
    for (const signature of [`${other} ${one}`, `v1a,x ${one} ${other}`, other, v2, `${v2} ${other}`])
      codes.push(await codeOf({ headers: { ...signed(), 'webhook-signature': signature } }))
    expect(codes).toEqual([undefined, undefined, 'webhook_invalid', 'webhook_invalid', 'webhook_invalid'])
    expect(await codeOf({ secret: [newSecret(), secret] })).toBe(undefined)
    expect(await codeOf({ secret: [newSecret()] })).toBe('webhook_invalid')
  })

  it('refuses what was altered, is missing or is repeated, as the library of Standard Webhooks does', async () => {
    const headers = signed()
    const [signature] = [headers['webhook-signature']]
    const altered: Partial<WebhookRequest>[] = [
      { body: `${body} ` },
      { body: '' },
      { headers: { ...headers, 'webhook-id': 'two' } },
      { headers: { ...headers, 'webhook-timestamp': String(now() / 1000 + 1) } },
      ...['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
        headers: { ...headers, [name]: undefined },
      })),
      ...[
        '',
        'v1,',
        'v1',
        signature.slice(3),
        signature.slice(0, -1),
        `${signature}x`,
        signature.toLowerCase(),
      ].map((each) => ({ headers: { ...headers, 'webhook-signature': each } })),
      ...['x', '-1', '1e9', ' '].map((each) => ({
        headers: { ...headers, 'webhook-timestamp': each },
      })),
      { headers: { ...headers, 'webhook-signature': [signature, signature] } },
      { headers: {} },
    ]
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'user.created' })
    for (const each of altered) {
      expect(await codeOf(each), JSON.stringify(each)).toBe('webhook_invalid')
      const given = { body, headers, ...each } as { body: string; headers: Record<string, string> }
      expect(() => new Webhook(secret).verify(given.body, given.headers), JSON.stringify(each)).toThrow()
    }
    // The library reads another time than it verifies.
    const decimal = { ...headers, 'webhook-timestamp': `${now() / 1000}.0` }
    expect(await codeOf({ headers: decimal })).toBe('webhook_invalid')
  })

  it('accepts a time that differs by at most 300 seconds, or by toleranceSeconds', async () => {
    const at = (seconds: number) => ({ headers: signed(secret, new Date(now() + seconds * 1000)) })
    for (const seconds of [-300, 300]) expect(await codeOf(at(seconds))).toBe(undefined)
    for (const seconds of [-301, 301]) expect(await codeOf(at(seconds))).toBe('webhook_expired')
    expect(await codeOf({ ...at(-301), toleranceSeconds: 400 })).toBe(undefined)
    expect(await codeOf({ ...at(-1), toleranceSeconds: 0 })).toBe('webhook_expired')
    const forged = { ...at(-301), headers: { ...at(-301).headers, 'webhook-id': 'two' } }
    expect(await codeOf(forged)).toBe('webhook_invalid')
  })

  it('says that the body was parsed, and returns no event of a signed text that is not JSON', async () => {
    for (const each of [JSON.parse(body), {}, undefined, null]) {
      const { error } = await verifyWebhook({ secret, headers: signed(), body: each, now })
      expect(error).toMatchObject({
        ...{ code: 'webhook_invalid', status: 401 },
        cause: { message: 'body must be the text or the bytes that were received' },
      })
    }
    expect(await codeOf({ headers: signed(secret, time, 'x'), body: 'x' })).toBe('webhook_invalid')
    expect(await codeOf({ headers: signed(secret, time, 'null'), body: 'null' })).toBe('webhook_invalid')
  })

  it('throws for a missing or malformed secret, whatever the request', async () => {
    for (const each of [
      '',
      'whsec_',
      'whsec_AAAA',
      `whsec_${'!'.repeat(44)}`,
      secret.slice(6),
      undefined,
      [],
      [''],
    ])
      await expect(codeOf({ secret: each as string, headers: {} })).rejects.toThrow(
        /^verifyWebhook: secret must/,
      )
    await expect(codeOf({ toleranceSeconds: Number.NaN })).rejects.toThrow(/toleranceSeconds must/)
  })
})
