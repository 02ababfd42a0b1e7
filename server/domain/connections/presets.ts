/** What is known of a kind of provider. Every entry is data: another provider needs no code. */
export interface Preset {
  /** What a button shows. */
  title: string
  /** Null: each connection has its own. A connection can have another one, such as a GitLab of the company. */
  issuer: string | null
  /** Other issuers that the provider has sent in its discovery document or in ID tokens, whose keys are the same. */
  aliases?: readonly string[]
  /** The claim that replaces `{tenantid}` in the issuer of a discovery document that is for many tenants. */
  tenantClaim?: string
  /** Of a provider without discovery. `{issuer}` is that of the connection. */
  endpoints?: Endpoints
  /** Endpoints that differ if the connection has another issuer than the preset. */
  ownEndpoints?: Partial<Endpoints>
  scopes: readonly string[]
  /** Whether the provider knows PKCE (RFC 7636). */
  pkce: boolean
  /** How the provider returns, if not in the query of the callback URL. */
  responseMode?: 'form_post'
  /** Whether the secret is a private key that signs a JWT for each request, with `teamId` and `keyId` of the connection. */
  signsSecret?: boolean
  /** The claims that together are the id of an account. */
  subject: readonly string[]
  /** Where the person is found, as paths into what the provider returns, such as `user.full_name`. */
  paths: { email: string; name?: string; locale?: string }
  /** Paths to parts of the name in the field `user` of the form that the provider posts, at the first login only. */
  postedNames?: readonly string[]
  /** What the address proves. The first entry whose conditions all hold counts; without one, nothing. */
  proofs: readonly EmailProof[]
}

/** The endpoints of a provider without discovery. */
interface Endpoints {
  authorization: string
  token: string
  /** Returns the person. */
  profile: string
  /** Returns a list of addresses. That with `primary` is the address. */
  emails?: string
}

/** What an address proves under conditions. */
export interface EmailProof {
  proof: 'authoritative' | 'verified'
  /** A claim that is true, also as text or number. */
  isTrue: string
  /** The address is of one of these domains. */
  domains?: readonly string[]
  /** A claim that equals the domain of the address. */
  isDomain?: string
  /** Claims with their values. */
  equals?: Readonly<Record<string, string>>
}

const emailVerified: EmailProof = { proof: 'verified', isTrue: 'email_verified' }
const standardPaths = { email: 'email', name: 'name', locale: 'locale' }
const standardScopes = ['openid', 'email', 'profile']

/** The tenant of all personal accounts at Microsoft. */
const personalTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'

const table = {
  google: {
    title: 'Google',
    issuer: 'https://accounts.google.com',
    aliases: ['accounts.google.com'],
    scopes: standardScopes,
    pkce: true,
    subject: ['sub'],
    paths: standardPaths,
    proofs: [
      { proof: 'authoritative', isTrue: 'email_verified', domains: ['gmail.com', 'googlemail.com'] },
      { proof: 'authoritative', isTrue: 'email_verified', isDomain: 'hd' },
      emailVerified,
    ],
  },
  apple: {
    title: 'Apple',
    issuer: 'https://appleid.apple.com',
    aliases: ['https://account.apple.com'],
    scopes: ['openid', 'email', 'name'],
    pkce: false,
    responseMode: 'form_post',
    signsSecret: true,
    subject: ['sub'],
    paths: { email: 'email' },
    postedNames: ['name.firstName', 'name.lastName'],
    proofs: [
      {
        proof: 'authoritative',
        isTrue: 'email_verified',
        domains: ['icloud.com', 'me.com', 'mac.com', 'privaterelay.appleid.com'],
      },
      emailVerified,
    ],
  },
  microsoft: {
    title: 'Microsoft',
    issuer: 'https://login.microsoftonline.com/common/v2.0',
    tenantClaim: 'tid',
    scopes: standardScopes,
    pkce: true,
    // `sub` differs for each client.
    subject: ['tid', 'oid'],
    paths: standardPaths,
    // Without `xms_edov`, an administrator of any tenant chooses the address.
    proofs: [
      {
        proof: 'authoritative',
        isTrue: 'xms_edov',
        domains: ['outlook.com', 'hotmail.com', 'live.com', 'msn.com'],
      },
      { proof: 'verified', isTrue: 'xms_edov', equals: { tid: personalTenant } },
      { proof: 'authoritative', isTrue: 'xms_edov' },
    ],
  },
  github: {
    title: 'GitHub',
    issuer: 'https://github.com',
    endpoints: {
      authorization: '{issuer}/login/oauth/authorize',
      token: '{issuer}/login/oauth/access_token',
      profile: 'https://api.github.com/user',
      emails: 'https://api.github.com/user/emails',
    },
    ownEndpoints: { profile: '{issuer}/api/v3/user', emails: '{issuer}/api/v3/user/emails' },
    scopes: ['read:user', 'user:email'],
    pkce: true,
    subject: ['id'],
    paths: { email: 'email', name: 'name' },
    proofs: [{ proof: 'verified', isTrue: 'verified' }],
  },
  gitlab: {
    title: 'GitLab',
    issuer: 'https://gitlab.com',
    scopes: standardScopes,
    pkce: true,
    subject: ['sub'],
    paths: standardPaths,
    proofs: [emailVerified],
  },
  oidc: {
    title: 'OpenID Connect',
    issuer: null,
    scopes: standardScopes,
    pkce: true,
    subject: ['sub'],
    paths: standardPaths,
    proofs: [emailVerified],
  },
} satisfies Record<string, Preset>

export type PresetName = keyof typeof table

/** The presets, by name. */
export const presets: Record<PresetName, Preset> = table
