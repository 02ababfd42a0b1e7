/** The claims of a token, with what they say. A claim that a database adds cannot have these names. */
export const tokenClaims = {
  iss: '`{BASE_URL}/workspaces/WORKSPACE/databases/DATABASE`',
  aud: 'a list that contains `iss`, and `database:` followed by the ID of the database. With `"account": false`: `{iss}/tenants` only, so that a backend that does not expect such tokens refuses them',
  sub: 'ID of the user',
  client_id: '`database:` followed by the ID of the database',
  iat: 'when it was issued, in seconds since the epoch',
  exp: 'when it expires: at most 86,400 s after `iat`, and not after the end of the session',
  jti: 'ID of the token',
  gen: 'generation of the user, a number that each revocation raises. Only Usher and [revocations](management.md#revocations) compare it',
  sid: 'ID of the [session](guides/sessions.md). Missing without a session',
  auth_time: 'when the user last proved to be that user, in seconds since the epoch',
  acr: '`aal2` if the user has proven two factors, else `aal1`',
  amr: 'how the user has proven it (RFC 8176): `pwd`, `otp`, `pop` (a passkey), `mfa`, and `recovery`, `mail`, `idp`',
  tenants: 'IDs of the tenants of the user, in the order of joining. Missing if the user has more than 50',
  tenant_roles:
    'an object of the role of the user by ID of the tenant, of each of `tenants` in which it is not `member`. Missing if `tenants` is, or if it would be longer than 2,400 characters',
  tenants_version: 'a number that each removal of the user from a tenant and each change of a role raises',
  account:
    '`false` if [single sign-on](guides/single-sign-on.md) of a tenant has opened the session: the token says nothing about the user outside its tenants. Else missing',
  sso: 'an object of when the user passed the single sign-on of a tenant, in seconds since the epoch, by ID of the tenant. Missing without one',
  email_verified:
    'whether the user has verified the address, if the database has `--require-verified-email on`. Else missing',
}

/**
 * Claims that no token has yet: those that RFC 7519 §4.1 registers, and those of OAuth and OpenID Connect that a later version may set
 * (RFC 8693 §4, RFC 7800 §3.1, OpenID Connect Core §2). A claim with such a name would then change its meaning.
 */
const laterClaims = ['nbf', 'scope', 'act', 'nonce', 'azp', 'cnf']

export const reservedClaims = [...Object.keys(tokenClaims), ...laterClaims]

/** Every request carries the claims in a header, of which servers accept 8 to 16 KiB. Those that a database adds have this limit. */
export const maxClaimBytes = 1_024

/** Where the value of a claim comes from. */
export interface ClaimSource {
  claim: string
  of: 'user' | 'tenant'
  field: string
  /** A key of the object `metadata` or `privateMetadata`. */
  key: string | null
}

/** What can follow the name of a claim. */
export const claimSourceFields = ['user', 'tenant'].flatMap((of) => [
  `${of}.externalId`,
  ...(of === 'user' ? ['user.locale'] : []),
  `${of}.metadata.NAME`,
  `${of}.privateMetadata.NAME`,
])

const claimSource =
  /^([A-Za-z][\w:/.-]{0,63})=((user|tenant)\.(?:externalId|locale|metadata|privateMetadata))(?:\.([^,\s\p{C}]{1,64}))?$/u

/** Returns what a text such as `plan=user.metadata.plan` says, or undefined if it is no source. */
export function readClaimSource(text: string): ClaimSource | undefined {
  const [, claim = '', field = '', of = '', key] = text.match(claimSource) ?? []
  const shape = key === undefined ? field : `${field}.NAME`
  return claimSourceFields.includes(shape)
    ? { claim, of: of as ClaimSource['of'], field, key: key ?? null }
    : undefined
}
