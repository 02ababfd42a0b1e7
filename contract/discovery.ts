import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath, databasePath } from './database-path.js'
import { failures } from './failures.js'
import type { DescribedRoutes } from './metadata.js'
import { component, field } from './registry.js'

const c = initContract()

const member = (description: string) => field(description, z.string().optional())

/** A public key as a JWK (RFC 7517). Which of `crv`, `x`, `y`, `n` and `e` it has depends on `kty`. */
export const PublicKey = component(
  { id: 'PublicKey', description: 'A public key as a JWK (RFC 7517).' },
  z.object({
    kty: field('Key type.', z.enum(['EC', 'RSA', 'OKP']), { isOpen: true }),
    kid: field('JWK thumbprint (RFC 7638) of the key, as in the header of tokens.', z.string()),
    alg: field('Algorithm of the signatures.', z.enum(['ES256', 'RS256', 'EdDSA']), { isOpen: true }),
    use: field('Always `sig`.', z.literal('sig')),
    crv: member('Curve (EC, OKP).'),
    x: member('X coordinate (EC) or public key (OKP).'),
    y: member('Y coordinate (EC).'),
    n: member('Modulus (RSA).'),
    e: member('Exponent (RSA).'),
  }),
)
export type PublicKey = z.infer<typeof PublicKey>

/** The keys that verify a database's tokens (RFC 7517 §5), including the successor key. */
export const KeySet = component(
  {
    id: 'KeySet',
    description: 'The keys that verify a database’s tokens (RFC 7517 section 5).',
    examples: [
      {
        keys: [
          {
            kty: 'EC',
            crv: 'P-256',
            // RFC 7515 appendix A.3
            x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
            y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
            kid: 'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U',
            alg: 'ES256',
            use: 'sig',
          },
        ],
      },
    ],
  },
  z.object({ keys: field('Find a key by the `kid` of the token.', z.array(PublicKey)) }),
)
export type KeySet = z.infer<typeof KeySet>

const strings = (description: string) => field(description, z.array(z.string()))
const url = (description: string) => field(description, z.url())

/** Metadata of a database as an issuer of tokens (RFC 8414 §2, OpenID Connect Discovery 1.0 §3). */
export const IssuerMetadata = component(
  {
    id: 'IssuerMetadata',
    description:
      'Metadata of a database as an issuer of tokens. It has no endpoints, grants or response types: tokens come from sign-up and login.',
    examples: [
      {
        issuer: '{baseUrl}/workspaces/demo/databases/app',
        jwks_uri: '{baseUrl}/workspaces/demo/databases/app/.well-known/jwks.json',
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['ES256'],
        acr_values_supported: ['aal1', 'aal2'],
      },
    ],
  },
  z.object({
    issuer: url('The `iss` claim of the database’s tokens.'),
    jwks_uri: url('URL of the key set.'),
    subject_types_supported: strings('`public`: the `sub` claim is the same user ID for every client.'),
    id_token_signing_alg_values_supported: strings('Signing algorithms of the current keys.'),
    acr_values_supported: strings('Values of the `acr` claim. `aal2`: the user has proven two factors.'),
  }),
)
export type IssuerMetadata = z.infer<typeof IssuerMetadata>

/** Seconds from the publication of a signing key to its first signature. Caches have it then. */
export const keyActivationSeconds = 3_600

const failing = failures('database_not_found', 'unavailable')
const cached = { who: 'anyone', cacheControl: 'public, max-age=300', revalidates: true } as const

const metadata = {
  method: 'GET',
  pathParams: DatabasePath,
  responses: { 200: IssuerMetadata, ...failing },
  metadata: cached,
} as const

export const discovery = c.router({
  getKeySet: {
    method: 'GET',
    path: `${databasePath}/.well-known/jwks.json`,
    pathParams: DatabasePath,
    responses: { 200: KeySet, ...failing },
    summary: 'Get the public keys of a database',
    description:
      'Use these keys to verify access tokens. A new key is published before it signs tokens, for longer than this response may be cached.',
    metadata: cached,
  },
  getIssuerMetadata: {
    ...metadata,
    path: `${databasePath}/.well-known/openid-configuration`,
    summary: 'Get the issuer metadata of a database',
    description: 'The path is specified by OpenID Connect Discovery.',
  },
  getAuthorizationServerMetadata: {
    ...metadata,
    path: `/.well-known/oauth-authorization-server${databasePath}`,
    summary: 'Get the issuer metadata of a database (RFC 8414)',
    description: 'The path is specified by RFC 8414 section 3.',
  },
  getAuthorizationServerMetadataOfIssuer: {
    ...metadata,
    path: `${databasePath}/.well-known/oauth-authorization-server`,
    summary: 'Get the issuer metadata of a database (appended path)',
    description: 'For clients that append the path of RFC 8414 to the issuer.',
  },
} satisfies DescribedRoutes)
