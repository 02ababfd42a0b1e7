import { createHmac, randomBytes } from 'node:crypto'
import { defaultSettings, tokenClaims } from '@usher/contract/settings'
import { createSigner } from 'fast-jwt'
import { describe, expect, it } from 'vitest'
import type { Database } from '../../server/domain/databases/find-database.js'
import { openPrivateKey } from '../../server/domain/keys/master-key.js'
import { generateSigningKey, openTokenKey } from '../../server/domain/keys/signing-keys.js'
import { issueToken, verifyToken } from '../../server/domain/tokens/access-token.js'
import { VerifiedTokens } from '../../server/domain/tokens/verified-tokens.js'

const masterKey = randomBytes(32)
const now = Date.parse('2026-03-01T12:00:00Z')
const seconds = now / 1000
const issuer = 'https://id.example.com/workspaces/demo/databases/app'
const id = '01900000-0000-7000-8000-000000000000'

function databaseWith(signingAlgorithm: 'ES256' | 'RS256' | 'EdDSA') {
  const row = generateSigningKey({ id, signingAlgorithm }, masterKey, { now: new Date(now) })
  const key = openTokenKey(row, { masterKey }, issuer)
  const database: Database = {
    ...defaultSettings,
    claimSources: [],
    workspaceId: '0190f0f0-0000-7000-8000-000000000000',
    isOperators: false,
    workspaceSlug: 'demo',
    databaseName: 'app',
    id,
    issuer,
    sessionIdleSeconds: 0,
    sessionMaxSeconds: 0,
    eventsKept: 0,
    tenantOperations: true,
    roles: [],
    invitationLifetimeSeconds: 604_800,
    tokenMaxAgeSeconds: 3600,
    dummyHashes: [],
    secondFactorRequiredAt: null,
    keys: [key],
  }
  return { database, key, publicKey: row.publicKey }
}

const { database, key, publicKey } = databaseWith('ES256')
const user = {
  id: crypto.randomUUID(),
  memberships: [],
  tenantsVersion: 0,
  generation: 7,
  emailVerifiedAt: null,
}
const proven = { amr: ['pwd'], at: now }
const sourced = {}
const good = {
  iss: issuer,
  aud: [issuer, `database:${id}`],
  sub: user.id,
  iat: seconds,
  exp: seconds + 3600,
  jti: crypto.randomUUID(),
  auth_time: seconds,
  amr: ['pwd'],
  gen: user.generation,
}
const without = (claim: keyof typeof good) => {
  const { [claim]: _, ...rest } = good
  return rest
}
const encode = (text: string) => Buffer.from(text).toString('base64url')
const codeOf = (jwt: string) => {
  try {
    verifyToken(new VerifiedTokens(), database, { jwt, now })
    return 'accepted'
  } catch (error) {
    return (error as { code: string }).code
  }
}

it.each(['ES256', 'RS256', 'EdDSA'] as const)(
  'accepts a token of %s only in its own database',
  (algorithm) => {
    const own = databaseWith(algorithm)
    const { jwt } = issueToken(own.database, user, { now, proven, isTenantOnly: false, sourced }).token
    expect(verifyToken(new VerifiedTokens(), own.database, { jwt, now })).toMatchObject({
      key: { id: user.id },
      issuedAt: seconds,
    })
    expect(codeOf(jwt)).toBe('token_invalid')
  },
)

it('issues tokens whose fixed and sourced claims replace none of its own, which are reserved', () => {
  const claimed = { role: 'authenticated', sub: 'other', exp: 0, iss: 'other' }
  const fixed = { ...database, requireVerifiedEmail: true, singleSignOn: true, claims: claimed }
  const session = { id: crypto.randomUUID(), expiresAt: new Date(now + 86_400_000) }
  const sso = { isRequired: false, isOnly: true, isExempt: false, maxAge: null, provesFrom: 0 }
  const tenant = { id: crypto.randomUUID(), role: 'member', sso: { ...sso, email: null, name: null } }
  const proof = { ...proven, tenants: { [tenant.id]: seconds } }
  const member = { ...user, memberships: [tenant] }
  const { jwt } = issueToken(fixed, member, {
    now,
    proven: proof,
    isTenantOnly: true,
    session,
    sourced: claimed,
  }).token
  const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
  expect(claims).toMatchObject({ role: 'authenticated', sub: user.id, exp: seconds + 3600, iss: issuer })
  const { role: _, ...own } = claims
  expect(Object.keys(own).sort()).toEqual(Object.keys(tokenClaims).sort())
})

describe('the tenants of a token', () => {
  const claimsOf = (memberships: { id: string; role: string }[]) => {
    const fixed = { ...database, claims: { tenants: ['*'], tenant_roles: { '*': 'owner' } } }
    const { jwt } = issueToken(
      fixed,
      { ...user, memberships },
      { now, proven, isTenantOnly: false, sourced },
    ).token
    const payload = jwt.split('.')[1] ?? ''
    return { jwt, ...JSON.parse(Buffer.from(payload, 'base64url').toString()) }
  }
  const tenantsAs = (role: string, count: number) =>
    Array.from({ length: count }, () => ({ id: crypto.randomUUID(), role }))

  it('are named with the roles other than member, which may be none', () => {
    const [own, other] = [...tenantsAs('owner', 1), ...tenantsAs('member', 1)]
    expect(claimsOf([own, other].filter((each) => each !== undefined))).toMatchObject({
      tenants: [own?.id, other?.id],
      tenant_roles: { [own?.id ?? '']: 'owner' },
    })
    const { tenants, tenant_roles: roles } = claimsOf([])
    expect([tenants, roles]).toEqual([[], {}])
  })

  it('have no roles if these are long, in a token that proxies accept', () => {
    const owner = claimsOf(tenantsAs('owner', 50))
    expect(Object.values(owner.tenant_roles)).toEqual(Array(50).fill('owner'))
    const { tenants, tenant_roles: roles, jwt } = claimsOf(tenantsAs('x'.repeat(32), 50))
    expect([tenants.length, roles]).toEqual([50, undefined])
    for (const text of [owner.jwt, jwt]) expect(text.length).toBeLessThan(8_000)
  })

  it('have roles of at most 2,400 characters', () => {
    const withLastRole = (role: string) => claimsOf([...tenantsAs('driver', 49), ...tenantsAs(role, 1)])
    expect(JSON.stringify(withLastRole('pilot').tenant_roles)).toHaveLength(2400)
    expect(withLastRole('driver').tenant_roles).toBeUndefined()
  })

  it('are left out with their roles if they are more than 50', () => {
    const { tenants, tenant_roles: roles } = claimsOf(tenantsAs('owner', 51))
    expect([tenants, roles]).toEqual([undefined, undefined])
  })
})

describe('correctly signed claims', () => {
  it('accepts a token whose claims are all present and valid', () => {
    expect(codeOf(key.sign(good))).toBe('accepted')
    expect(codeOf(key.sign({ ...good, aud: issuer }))).toBe('accepted')
  })

  it.each<[string, object]>([
    ['no iss', without('iss')],
    ['another iss', { ...good, iss: `${issuer}2` }],
    ['an iss with an extra slash', { ...good, iss: `${issuer}/` }],
    ['no aud', without('aud')],
    ['another aud', { ...good, aud: 'database:other' }],
    ['an empty aud', { ...good, aud: [] }],
    ['a sub that is no UUID', { ...good, sub: 'ada' }],
    ['no sub', without('sub')],
    ['a sub that is not a string', { ...good, sub: 7 }],
    ['a sid that is no UUID', { ...good, sid: 'phone' }],
    ['a jti that is no UUID', { ...good, jti: '1' }],
    ['no exp', without('exp')],
    ['no iat', without('iat')],
    ['an iat in the future', { ...good, iat: seconds + 31 }],
    ['no jti', without('jti')],
    ['no gen', without('gen')],
  ])('rejects a token with %s', (_name, claims) => {
    expect(codeOf(key.sign(claims))).toBe('token_invalid')
  })

  it('returns token_expired from the exp of a token on', () => {
    expect(codeOf(key.sign({ ...good, exp: seconds + 1 }))).toBe('accepted')
    expect(codeOf(key.sign({ ...good, exp: seconds }))).toBe('token_expired')
  })
})

describe('encoded tokens', () => {
  const [header = '', payload = '', signature = ''] = key.sign(good).split('.')
  const headerText = Buffer.from(header, 'base64url').toString()
  const hmac = (head: string) => {
    const input = `${encode(head)}.${payload}`
    return `${input}.${createHmac('sha256', publicKey).update(input).digest('base64url')}`
  }

  it.each<[string, string]>([
    ['HS256 and the public key as its secret', hmac(headerText.replace('ES256', 'HS256'))],
    ['alg none', `${encode(headerText.replace('ES256', 'none'))}.${payload}.`],
    ['alg none and the signature', `${encode(headerText.replace('ES256', 'none'))}.${payload}.${signature}`],
    ['another typ', `${encode(headerText.replace('at+jwt', 'JWT'))}.${payload}.${signature}`],
    ['the alg twice', `${encode(headerText.replace('{', '{"alg":"none",'))}.${payload}.${signature}`],
    ['the kid twice', `${encode(headerText.replace('{', '{"kid":"x",'))}.${payload}.${signature}`],
    ['a key in its header', `${encode(headerText.replace('{', '{"jwk":{},'))}.${payload}.${signature}`],
    ['a sub twice', `${header}.${encode(JSON.stringify(good).replace('{', '{"sub":"y",'))}.${signature}`],
    ['a truncated signature', `${header}.${payload}.${signature.slice(0, -1)}`],
    ['an empty signature', `${header}.${payload}.`],
    ['a longer signature', `${header}.${payload}.${signature}AAAA`],
    ['a padded signature', `${header}.${payload}.${signature}=`],
    ['a leading space', ` ${header}.${payload}.${signature}`],
    ['a line break', `${header}.${payload}\n.${signature}`],
    ['a payload of one megabyte', `${header}.${'A'.repeat(1_000_000)}.${signature}`],
    ['a deeply nested header', `${encode('['.repeat(5000))}.${payload}.${signature}`],
    ['__proto__ in its header', `${encode('{"__proto__":{"kid":"x"}}')}.${payload}.${signature}`],
  ])('rejects a token with %s', (_name, jwt) => {
    expect(codeOf(jwt)).toBe('token_invalid')
    expect(codeOf(`${header}.${payload}.${signature}`)).toBe('accepted')
  })

  it('rejects a correctly signed token of another typ', () => {
    const row = generateSigningKey({ id, signingAlgorithm: 'ES256' }, masterKey, { now: new Date(now) })
    const own = openTokenKey(row, { masterKey }, issuer)
    const sign = (typ: string) =>
      createSigner({
        key: openPrivateKey({ masterKey }, row),
        algorithm: 'ES256',
        kid: row.kid,
        header: { alg: 'ES256', typ },
      })(good)
    const check = (jwt: string) => () =>
      verifyToken(new VerifiedTokens(), { ...database, keys: [own] }, { jwt, now })
    expect(check(sign('at+jwt'))).not.toThrow()
    expect(check(sign('JWT'))).toThrow()
  })

  it('accepts a token whose header has other members', () => {
    const row = generateSigningKey({ id, signingAlgorithm: 'ES256' }, masterKey, { now: new Date(now) })
    const own = openTokenKey(row, { masterKey }, issuer)
    const { kid } = row
    const header = { b64: true, alg: 'ES256', typ: 'at+jwt' }
    const jwt = createSigner({ key: openPrivateKey({ masterKey }, row), algorithm: 'ES256', kid, header })(
      good,
    )
    expect(jwt.startsWith(own.prefix)).toBe(false)
    expect(verifyToken(new VerifiedTokens(), { ...database, keys: [own] }, { jwt, now }).key.id).toBe(user.id)
  })
})
