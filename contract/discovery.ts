import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath } from './database-path.js'
import { failures } from './problems.js'

const c = initContract()

/** One public key (RFC 7517), with the members of its type. */
export const PublicKey = z
  .object({
    kty: z.enum(['EC', 'RSA', 'OKP']),
    kid: z.string().meta({ description: 'JWK thumbprint (RFC 7638), as in the header of tokens.' }),
    alg: z.enum(['ES256', 'RS256', 'EdDSA']),
    use: z.literal('sig'),
    crv: z.string().optional(),
    x: z.string().optional(),
    y: z.string().optional(),
    n: z.string().optional(),
    e: z.string().optional(),
  })
  .meta({ id: 'PublicKey' })
export type PublicKey = z.infer<typeof PublicKey>

/** The keys that verify a database's tokens (RFC 7517 §5), the next one among them. */
export const KeySet = z.object({ keys: z.array(PublicKey) }).meta({ id: 'KeySet' })
export type KeySet = z.infer<typeof KeySet>

const list = (description: string) => z.array(z.string()).meta({ description })

/** Metadata of a database as an issuer of tokens: what RFC 8414 §2 and OpenID Connect Discovery name of it. */
export const IssuerMetadata = z
  .object({
    issuer: z.url().meta({ description: '`iss` of the database’s tokens.' }),
    jwks_uri: z.url().meta({ description: 'Address of the key set.' }),
    response_types_supported: list('None: tokens come from create and login.'),
    grant_types_supported: list('None.'),
    subject_types_supported: list('`public`: `sub` is the user’s id for everyone.'),
    id_token_signing_alg_values_supported: list('Algorithms of the keys in use.'),
  })
  .meta({ id: 'IssuerMetadata' })
export type IssuerMetadata = z.infer<typeof IssuerMetadata>

const issuer = '/workspaces/:workspaceSlug/databases/:databaseName'
const failing = failures('database_not_found', 'unavailable')
const cached = { cacheControl: 'public, max-age=300' } as const

const metadata = {
  method: 'GET',
  pathParams: DatabasePath,
  responses: { 200: IssuerMetadata, ...failing },
  metadata: cached,
} as const

export const discovery = c.router({
  keySet: {
    method: 'GET',
    path: `${issuer}/.well-known/jwks.json`,
    pathParams: DatabasePath,
    responses: { 200: KeySet, ...failing },
    summary: 'Keys that verify the tokens of a database',
    description:
      'For services that verify tokens themselves. A next key is published before it signs, for longer than this may be cached.',
    metadata: cached,
  },
  openidConfiguration: {
    ...metadata,
    path: `${issuer}/.well-known/openid-configuration`,
    summary: 'Metadata of a database as an issuer',
    description: 'Where OpenID Connect Discovery looks for it.',
  },
  authorizationServer: {
    ...metadata,
    path: `/.well-known/oauth-authorization-server${issuer}`,
    summary: 'Metadata of a database as an issuer (RFC 8414)',
    description: 'Where RFC 8414 section 3 looks for it.',
  },
})
