import type { IssuerMetadata, KeySet, PublicKey } from '@usher/contract'
import type { Database } from '../databases/find-database.js'
import { publishedKeys } from './access-token.js'

/** Returns the public keys of a database, including the next one (RFC 7517 §5). */
export const keySet = (database: Database, now: number): KeySet => ({
  keys: publishedKeys(database, now).map(({ jwk }) => jwk as PublicKey),
})

/** Returns the issuer metadata of RFC 8414 and OpenID Connect Discovery. */
export const issuerMetadata = (database: Database, now: number): IssuerMetadata => ({
  issuer: database.issuer,
  jwks_uri: `${database.issuer}/.well-known/jwks.json`,
  response_types_supported: [],
  grant_types_supported: [],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [...new Set(publishedKeys(database, now).map(({ jwk }) => jwk.alg))],
})
