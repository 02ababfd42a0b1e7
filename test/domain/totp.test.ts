import { expect, it } from 'vitest'
import { describeSecret, stepOf } from '../../server/domain/factors/totp.js'

const secret = Buffer.from('12345678901234567890')

// RFC 6238, appendix B, with SHA-1. Codes have the last six of the eight digits.
it.for([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const)('accepts the code of RFC 6238 at %i s', async ([seconds, code]) => {
  const step = Math.floor(seconds / 30)
  const at = (ahead: number) => stepOf(secret, code, (seconds + ahead * 30) * 1000)
  expect(await Promise.all([-2, -1, 0, 1, 2].map(at))).toEqual([undefined, step, step, step, undefined])
})

it('accepts only six digits', async () => {
  for (const code of ['', '28708', '2870822', '94287082', ' 287082', '28708a'])
    expect(await stepOf(secret, code, 59_000), code).toBeUndefined()
})

it('describes a secret for apps', async () => {
  const described = await describeSecret(secret, { issuer: 'Acme: Ω', label: 'ada@example.com' })
  expect(described.secret).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
  const uri = new URL(described.uri)
  expect([uri.protocol, uri.host, decodeURIComponent(uri.pathname)]).toEqual([
    'otpauth:',
    'totp',
    '/Acme - Ω:ada@example.com',
  ])
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: 'Acme - Ω',
    secret: described.secret,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
})
