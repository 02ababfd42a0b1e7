import { randomBytes, randomUUID } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { defaultSettings } from '@usher/contract/settings'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Database } from '../../server/domain/databases/find-database.js'
import { generateSigningKey, openTokenKey } from '../../server/domain/keys/signing-keys.js'
import { issueToken, verifyToken } from '../../server/domain/tokens/access-token.js'
import { VerifiedTokens } from '../../server/domain/tokens/verified-tokens.js'

const masterKey = randomBytes(32)
const now = Date.parse('2026-03-01T12:00:00Z')
const issuer = 'https://id.example.com/workspaces/demo/databases/app'

function newDatabase() {
  const id = randomUUID()
  const row = generateSigningKey({ id, signingAlgorithm: 'ES256' }, masterKey, { now: new Date(now) })
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
    tokenMaxAgeSeconds: 3600,
    dummyHashes: [],
    secondFactorRequiredAt: null,
    sessionIdleSeconds: 0,
    sessionMaxSeconds: 0,
    eventsKept: 0,
    tenantOperations: true,
    roles: [],
    invitationLifetimeSeconds: 604_800,
    keys: [key],
  }
  const user = {
    id: randomUUID(),
    memberships: [],
    tenantsVersion: 0,
    generation: 7,
    emailVerifiedAt: null,
  }
  return {
    database,
    newToken: () =>
      issueToken(database, user, { now, proven: { amr: ['pwd'], at: now }, isTenantOnly: false, sourced: {} })
        .token.jwt,
  }
}

let verified: VerifiedTokens
beforeEach(() => {
  verified = new VerifiedTokens()
})

const codeOf = (database: Database, jwt: string, at = now) => {
  try {
    verifyToken(verified, database, { jwt, now: at })
    return 'accepted'
  } catch (error) {
    return (error as { code: string }).code
  }
}

it('verifies the signature of a token once', () => {
  const { database, newToken } = newDatabase()
  const jwt = newToken()
  const verify = vi.fn(database.keys[0]?.verify)
  const keys = database.keys.map((key) => ({ ...key, verify }))
  expect(codeOf({ ...database, keys }, jwt)).toBe('accepted')
  expect(codeOf({ ...database, keys }, jwt)).toBe('accepted')
  expect(verify).toHaveBeenCalledTimes(1)
})

it('rejects a known signature over other claims', () => {
  const { database, newToken } = newDatabase()
  const [header, payload = '', signature] = newToken().split('.')
  expect(codeOf(database, `${header}.${payload}.${signature}`)).toBe('accepted')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const other = Buffer.from(JSON.stringify({ ...claims, sub: randomUUID() })).toString('base64url')
  expect(codeOf(database, `${header}.${other}.${signature}`)).toBe('token_invalid')
})

it('rejects a known token in another database, even one with the same key', () => {
  const { database, newToken } = newDatabase()
  const jwt = newToken()
  expect(codeOf(database, jwt)).toBe('accepted')
  const other = { ...newDatabase().database, issuer: 'https://id.example.com/workspaces/demo/databases/b' }
  expect(codeOf(other, jwt)).toBe('token_invalid')
  const verify = vi.fn(() => {
    throw new Error('verified again')
  })
  const keys = database.keys.map((key) => ({ ...key, verify }))
  expect(codeOf({ ...database, id: randomUUID(), keys }, jwt)).toBe('token_invalid')
  expect(verify).toHaveBeenCalledTimes(1)
})

it('rejects a known token when its key has retired', () => {
  const { database, newToken } = newDatabase()
  const jwt = newToken()
  expect(codeOf(database, jwt)).toBe('accepted')
  const keys = database.keys.map((key) => ({ ...key, retiresAt: new Date(now + 1000) }))
  expect(codeOf({ ...database, keys }, jwt, now + 999)).toBe('accepted')
  expect(codeOf({ ...database, keys }, jwt, now + 1000)).toBe('token_invalid')
  const withSuccessor = { ...database, keys: [...newDatabase().database.keys, ...keys] }
  expect(codeOf(withSuccessor, jwt, now + 999)).toBe('accepted')
  expect(codeOf(withSuccessor, jwt, now + 1000)).toBe('token_invalid')
})

it('returns token_expired for a known token from its exp on', () => {
  const { database, newToken } = newDatabase()
  const jwt = newToken()
  expect(codeOf(database, jwt, now + 3_599_000)).toBe('accepted')
  expect(codeOf(database, jwt, now + 3_600_000)).toBe('token_expired')
})

it('does not cache rejected tokens', () => {
  const { database, newToken } = newDatabase()
  const jwt = newToken()
  const head = jwt.slice(0, jwt.lastIndexOf('.'))
  expect(codeOf(database, jwt, now + 3_600_000)).toBe('token_expired')
  expect(codeOf(database, jwt, now - 31_000)).toBe('token_invalid')
  expect(codeOf(database, `${head}.${randomBytes(64).toString('base64url')}`)).toBe('token_invalid')
  expect(verified.size).toBe(0)
})

it('caches at most 16 MiB of tokens', () => {
  const times = { issuedAt: 0, expiresAt: 0, proven: { amr: ['pwd'], at: 0 } }
  const token = {
    kid: '',
    key: { databaseId: '', id: '', sessionId: '' },
    sessionId: undefined,
    id: '',
    generation: 0,
    isTenantOnly: false,
    ...times,
  }
  const jwtOf = (index: number) => String(index).padStart(700, '-')
  for (let index = 0; index < 20_000; index++) verified.add({ jwt: jwtOf(index), ...token })
  expect(verified.calculatedSize).toBeLessThanOrEqual(16 * 2 ** 20)
  expect(verified.get(jwtOf(0))).toBeUndefined()
  expect(verified.get(jwtOf(19_999))).toBeDefined()
})

it('uses less than 20 KiB per open key, and no memory for forged tokens', () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const bytesNow = () => {
    collectGarbage()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = bytesNow()
  const opened = Array.from({ length: 100 }, () => newDatabase())
  const attacked = opened.slice(0, 10)
  for (const { database, newToken } of opened) expect(codeOf(database, newToken())).toBe('accepted')
  expect((bytesNow() - before) / opened.length).toBeLessThan(20 * 1024)
  const forge = () => {
    for (const { database, newToken } of attacked) {
      for (let count = 0; count < 100; count++) {
        const forged = newToken().replace(/.{8}$/, randomBytes(6).toString('base64url'))
        expect(codeOf(database, forged)).toBe('token_invalid')
      }
    }
  }
  // V8 keeps what it learns from the first run.
  forge()
  const after = bytesNow()
  forge()
  expect((bytesNow() - after) / 1000).toBeLessThan(100)
})
