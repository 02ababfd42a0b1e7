import type { IssuerMetadata, KeySet, PublicKey } from '@usher/contract'
import type { Database } from '../databases/find-database.js'
import { publishedKeys } from './access-token.js'
import { acrValues } from './authentication.js'

/** Returns the public keys of a database, including the next one (RFC 7517 §5). */
export const keySet = (database: Database, now: number): KeySet => ({
  keys: publishedKeys(database, now).map(({ jwk }) => jwk as PublicKey),
})

/**
 * Returns the issuer metadata of RFC 8414 and OpenID Connect Discovery. Members without values are left out (RFC 8414
 * §3.2, OpenID Connect Discovery §4.2).
 */
export const issuerMetadata = (database: Database, now: number): IssuerMetadata => ({
  issuer: database.issuer,
  jwks_uri: `${database.issuer}/.well-known/jwks.json`,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [...new Set(publishedKeys(database, now).map(({ jwk }) => jwk.alg))],
  acr_values_supported: [...acrValues],
})
