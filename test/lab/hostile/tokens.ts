import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import type { World } from './requests.js'

type Json = Record<string, unknown>
interface Parts {
  header: Json
  claims: Json
  signature: string
}
type Forgery = (parts: Parts, other: Parts) => string

/** Tokens of the same or another database, and forgeries that combine two of them. */
export const tokensFor = ({ accounts }: World): fc.Arbitrary<string> => {
  const jwt = fc.constantFrom(...accounts.flatMap(({ tokens }) => tokens))
  const forged = fc.tuple(jwt, jwt, forgeries).map(([one, two, forge]) => forge(read(one), read(two)))
  return fc.oneof(jwt, forged, fc.string({ maxLength: 200 }))
}

/** Refresh tokens of all databases, and texts that combine or change them. */
export const refreshTokensFor = ({ accounts }: World): fc.Arbitrary<string> => {
  const token = fc.constantFrom(...accounts.map(({ refreshToken }) => refreshToken))
  const number = fc.constantFrom('0', '1', '00', '-1', '1e3', '2147483648', '99999999999999999999', '٣')
  return fc.oneof(
    variationsOf(token),
    fc.tuple(token, number).map(([one, n]) => one.replace(/\.\d+\./, `.${n}.`)),
  )
}

/** Codes of both purposes and all databases, and texts that combine or change them. */
export const codesFor = ({ accounts }: World) =>
  variationsOf(fc.constantFrom(...accounts.flatMap(({ codes }) => Object.values(codes))))

/** Credentials whose last part is their HMAC, as they are, with the HMAC of another one, and with one other character. */
const variationsOf = (credential: fc.Arbitrary<string>) =>
  fc.oneof(
    credential,
    fc
      .tuple(credential, credential)
      .map(([one, other]) => one.replace(/[^.]*$/, '') + other.replace(/^.*\./, '')),
    fc
      .tuple(credential, fc.nat(90), fc.constantFrom('', '.', '=', 'A', '\0', 'é'))
      .map(([one, at, text]) => one.slice(0, at) + text + one.slice(at + 1)),
  )

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const part = (jwt: string, index: number) =>
  JSON.parse(Buffer.from(jwt.split('.')[index] ?? '', 'base64url').toString())
const read = (jwt: string): Parts => ({
  header: part(jwt, 0),
  claims: part(jwt, 1),
  signature: jwt.split('.')[2] ?? '',
})
const write = ({ header, claims, signature }: Parts) => `${encode(header)}.${encode(claims)}.${signature}`

const ours = generateKeyPairSync('ec', { namedCurve: 'P-256' })
/** Signed with a key of the attacker. */
const signed = (parts: Parts) => {
  const input = write(parts).replace(/\.[^.]*$/, '')
  const key = { key: ours.privateKey, dsaEncoding: 'ieee-p1363' } as const
  return `${input}.${sign('sha256', Buffer.from(input), key).toString('base64url')}`
}
const macked = (parts: Parts, secret: string) => {
  const input = write(parts).replace(/\.[^.]*$/, '')
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, 0, -1, 1e300, true, '', [], {}, '../../../etc/passwd', "' OR 1=1 --"),
  fc.constantFrom('__proto__', 'constructor', 'x'.repeat(4000), '\0', '\ud800'),
  fc.jsonValue({ maxDepth: 2 }),
)
const algorithms = fc.constantFrom('none', 'None', 'HS256', 'RS256', 'ES384', 'EdDSA', '', null, 7)
const claimNames = [
  'iss',
  'aud',
  'sub',
  'client_id',
  'iat',
  'exp',
  'nbf',
  'jti',
  'tenants',
  'sid',
  'auth_time',
  '__proto__',
]

const forgeries: fc.Arbitrary<Forgery> = fc.oneof(
  algorithms.map(
    (alg): Forgery =>
      (parts) =>
        write({ ...parts, header: { ...parts.header, alg } }),
  ),
  algorithms.map(
    (alg): Forgery =>
      (parts) =>
        write({ ...parts, header: { ...parts.header, alg }, signature: '' }),
  ),
  odd.map(
    (kid): Forgery =>
      (parts) =>
        signed({ ...parts, header: { ...parts.header, kid } }),
  ),
  odd.map(
    (kid): Forgery =>
      (parts) =>
        write({ ...parts, header: { ...parts.header, kid } }),
  ),
  odd.map(
    (typ): Forgery =>
      (parts) =>
        signed({ ...parts, header: { ...parts.header, typ } }),
  ),
  fc.constant<Forgery>((parts) => signed(parts)),
  fc.constant<Forgery>((parts) =>
    signed({ ...parts, header: { ...parts.header, jwk: ours.publicKey.export({ format: 'jwk' }) } }),
  ),
  fc.constant<Forgery>((parts) =>
    macked({ ...parts, header: { ...parts.header, alg: 'HS256' } }, String(parts.header.kid)),
  ),
  fc.constant<Forgery>((parts, other) => write({ ...parts, header: other.header })),
  fc.constant<Forgery>((parts, other) => write({ ...parts, signature: other.signature })),
  fc.constant<Forgery>((parts, other) =>
    write({ ...parts, claims: { ...parts.claims, sub: other.claims.sub } }),
  ),
  fc.tuple(fc.constantFrom(...claimNames), odd).map(
    ([name, value]): Forgery =>
      (parts) =>
        write({ ...parts, claims: { ...parts.claims, [name]: value } }),
  ),
  fc.tuple(fc.nat(600), fc.constantFrom('', '.', '=', ' ', 'A', '~', 'é')).map(
    ([at, text]): Forgery =>
      (parts) =>
        write(parts).slice(0, at) + text + write(parts).slice(at + 1),
  ),
  fc.nat(600).map(
    (length): Forgery =>
      (parts) =>
        write(parts).slice(0, length),
  ),
)
