import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { DatabasePath } from '@usher/contract'
import { findDatabaseRow } from '../../server/domain/databases/find-database.js'
import { openPrivateKey } from '../../server/domain/keys/master-key.js'
import type { SigningAlgorithm } from '../../server/store/generated/enums.js'
import type { Store } from '../../server/store/store.js'
import type { TestApi } from '../support/app.js'
import { retireKey, rotateKeys } from '../support/operator-changes.js'

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())

type Signer = (input: string) => Buffer
const compact = (header: object, claims: object, signer: Signer) => {
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${signer(input).toString('base64url')}`
}

const signerOf =
  (key: KeyObject, algorithm: SigningAlgorithm): Signer =>
  (input) =>
    sign(algorithm === 'EdDSA' ? null : 'sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' })

/**
 * Returns a valid token of a new database that signs with an algorithm, and tokens that no backend may accept, by
 * name. Except for the forged ones, they are signed with the key of the database, so that nothing but the named defect
 * can refuse them.
 */
export async function makeAttacks(usher: TestApi, signingAlgorithm: SigningAlgorithm) {
  const { store, clock } = usher
  const database = await usher.newDatabase()
  const other = await usher.newDatabase()
  const retired = await keyOf(store, database)
  for (const { id, ...path } of [database, other]) {
    await store.prisma.database.updateMany({ where: { id }, data: { signingAlgorithm } })
    await rotateKeys({ store, now: new Date(clock.now) }, path, 0)
  }
  await retireKey({ store, now: new Date(clock.now) }, database, retired.kid)
  const key = await keyOf(store, database)

  const valid = (await database.signedUp({ newTenant: 'Engines' })).token.jwt
  const [headerPart, claimsPart, signature = ''] = valid.split('.')
  const header = decode(headerPart)
  const claims = decode(claimsPart)
  const now = Math.floor(clock.now / 1000)

  const hmac: Signer = (input) => createHmac('sha256', key.publicKey).update(input).digest()
  const forger = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const forge = signerOf(forger.privateKey, 'ES256')
  const jwk = { ...forger.publicKey.export({ format: 'jwk' }), kid: 'forged', alg: 'ES256', use: 'sig' }
  const forged = { ...header, alg: 'ES256' }
  const url = 'https://attacker.example/keys.json'

  const attacks = {
    'alg none': `${encode({ ...header, alg: 'none' })}.${claimsPart}.`,
    'alg none with a signature': `${encode({ ...header, alg: 'none' })}.${claimsPart}.${signature}`,
    'HS256 with the public key as secret': compact({ ...header, alg: 'HS256' }, claims, hmac),
    'the token of another database': (await other.signedUp()).token.jwt,
    'another issuer': compact(header, { ...claims, iss: 'https://attacker.example' }, key.sign),
    'another audience': compact(header, { ...claims, aud: ['https://attacker.example'] }, key.sign),
    'an expired token': compact(header, { ...claims, iat: now - 7200, exp: now - 3600 }, key.sign),
    'a token that is not yet valid': compact(header, { ...claims, nbf: now + 600 }, key.sign),
    'another typ': compact({ ...header, typ: 'JWT' }, claims, key.sign),
    'an unknown kid': compact({ ...forged, kid: 'forged' }, claims, forge),
    'the kid of a retired key': compact({ ...header, alg: 'ES256', kid: retired.kid }, claims, retired.sign),
    'a forged signature': compact(forged, claims, forge),
    'a key in the header': compact({ ...forged, jwk }, claims, forge),
    'the address of a key in the header': compact({ ...forged, jku: url, x5u: url }, claims, forge),
    'an unknown critical header': compact({ ...header, crit: ['future'], future: true }, claims, key.sign),
    'a changed payload': `${headerPart}.${encode({ ...claims, sub: crypto.randomUUID() })}.${signature}`,
    'a truncated signature': `${headerPart}.${claimsPart}.${signature.slice(0, -8)}`,
  }
  /** Signs the claims of the valid token with changes. */
  const sign = (changes: object) => compact(header, { ...claims, ...changes }, key.sign)
  return { database, valid, attacks, header, claims, sign }
}

/** Returns the newest key of a database. */
async function keyOf(store: Store, path: DatabasePath) {
  const [row] = (await findDatabaseRow(store, path))?.signingKeys ?? []
  if (!row) throw new Error('the database has no key')
  const privateKey = createPrivateKey(openPrivateKey(store, row))
  return { kid: row.kid, publicKey: row.publicKey, sign: signerOf(privateKey, row.algorithm) }
}
