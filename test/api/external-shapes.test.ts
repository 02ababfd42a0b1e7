import { expect } from 'vitest'
import { clientId, it } from '../support/external.js'
import { ada, type Lies, type Person } from '../support/lying-provider.js'

const { email } = ada
const both = { token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'] }
const none = {
  userinfo_endpoint: null,
  token_endpoint_auth_methods_supported: null,
  authorization_response_iss_parameter_supported: null,
}
const verified = { subject: 'ada', email, emailProof: 'verified' }
const unproven = { subject: 'ada', email, emailProof: null }

// What providers send, as their documents say.
it.for<[string, (issuer: string) => Lies, Person, object]>([
  [
    'Auth0, authentik, Dex and Azure AD B2C: an issuer that ends with a slash',
    (issuer) => ({ discovery: { issuer: `${issuer}/` }, claims: { iss: `${issuer}/` } }),
    ada,
    verified,
  ],
  [
    'Okta: the flag of the address in UserInfo only',
    () => ({}),
    { sub: 'ada', email, inUserInfo: { email, email_verified: true } },
    verified,
  ],
  [
    'AD FS: a UserInfo endpoint that has only `sub`',
    () => ({}),
    { sub: 'ada', email, inUserInfo: {} },
    unproven,
  ],
  ['Entra ID: an address without a flag', () => ({ discovery: none }), { sub: 'ada', email }, unproven],
  [
    'PingOne: a UserInfo endpoint that does not accept the token, and an address in the ID token',
    () => ({
      answer: (path, response) => {
        if (path === '/userinfo') response.writeHead(403, { 'content-type': 'application/json' }).end('{}')
        return path === '/userinfo'
      },
    }),
    { sub: 'ada', email },
    unproven,
  ],
  [
    'Cognito: the address in UserInfo, with its flag as text',
    () => ({}),
    { sub: 'ada', inUserInfo: { email, email_verified: 'true' } },
    verified,
  ],
  [
    'Zitadel: the project as a second audience, and the address in UserInfo',
    () => ({ claims: { aud: [clientId, '163842776162'], azp: clientId } }),
    { sub: 'ada', inUserInfo: { email, email_verified: true } },
    verified,
  ],
  [
    'Keycloak: a list of audiences with `azp`',
    () => ({ claims: { aud: ['account', clientId], azp: clientId, typ: 'ID' } }),
    ada,
    verified,
  ],
  ['GitLab: a list with one audience, without `azp`', () => ({ claims: { aud: [clientId] } }), ada, verified],
  [
    'Salesforce: a URL as the id of the account',
    () => ({}),
    { ...ada, sub: 'https://login.salesforce.com/id/00D50/00550' },
    { ...verified, subject: 'https://login.salesforce.com/id/00D50/00550' },
  ],
  [
    'Slack: claims whose names are URLs',
    () => ({ claims: { 'https://slack.com/team_id': 'T0', at_hash: 'x', auth_time: 1 } }),
    ada,
    verified,
  ],
  ['a discovery document with null for what is optional', () => ({ discovery: none }), ada, verified],
  [
    'PingOne and Ory Hydra: a client that must send its secret in the header, and a document with both ways',
    () => ({ secretIn: 'header', discovery: both }),
    ada,
    verified,
  ],
  [
    'a client that must send its secret in the form',
    () => ({ secretIn: 'form', discovery: both }),
    ada,
    verified,
  ],
  [
    'Keycloak and PingOne: UserInfo as a signed JWT',
    () => ({ signedUserInfo: {} }),
    { sub: 'ada', inUserInfo: { email, email_verified: true } },
    verified,
  ],
])('logs in at %s', async ([, lies, person, expected], { external, provider }) => {
  provider.lies = lies(provider.issuer)
  expect(await external.claims(provider, person)).toMatchObject(expected)
})

it.for(['RS256', 'PS256', 'ES384', 'EdDSA'])(
  'logs in with an ID token that is signed with %s',
  async (algorithm, { external, provider }) => {
    await provider.rotateKey(algorithm)
    expect(await external.claims(provider)).toMatchObject(verified)
  },
)

it.for([
  ['of another issuer', { iss: 'https://other.example.com' }],
  ['for another client', { aud: 'another-client' }],
  ['of another person', { sub: 'eve' }],
])(
  'returns provider_invalid for a signed UserInfo response %s',
  async ([, claims], { external, provider }) => {
    provider.lies = { signedUserInfo: claims as object }
    const person = { sub: 'ada', inUserInfo: { email, email_verified: true } }
    expect(await external.claims(provider, person)).toEqual({ error: 'provider_invalid' })
  },
)
