import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath, databasePath, usersPath } from './database-path.js'
import { bodyProblems, databaseProblems, failures } from './failures.js'
import { body, instant, issuedText, name } from './fields.js'
import {
  challenge,
  FinishedLogin,
  loginExample,
  loginProblems,
  newUserFields,
  verifier,
  verifierExample,
} from './logins.js'
import type { DescribedRoutes } from './metadata.js'
import { component, field } from './registry.js'

const c = initContract()

const stateExample = 'eyJpZCI6IjAxYTFmYzZlIn0.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs'

/** Response of `listConnections`. */
export const ConnectionList = component(
  {
    id: 'ConnectionList',
    description: 'The providers with which users log in.',
    examples: [{ connections: [{ name: 'google', title: 'Google', preset: 'google' }] }],
  },
  z.object({
    connections: field(
      'In the order in which they were added.',
      z.array(
        component(
          { id: 'ConnectionInfo', description: 'A provider with which users log in.' },
          z.object({
            name: field('Name of the connection, for `startLogin`.', z.string(), { examples: ['google'] }),
            title: field('What a button shows.', z.string(), { examples: ['Google'] }),
            preset: field('Kind of the provider, for its logo: such as `google` or `oidc`.', z.string(), {
              examples: ['google'],
            }),
          }),
        ),
      ),
    ),
  }),
)
export type ConnectionList = z.infer<typeof ConnectionList>

/** Body of `startLogin`. */
export const StartLoginBody = body(
  {
    id: 'StartLoginBody',
    description: 'The connection, and what binds the login to this client.',
    example: { connection: 'google', challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' },
  },
  {
    connection: field('Name of a connection.', name(), { examples: ['google'], maxLength: 255 }),
    challenge: challenge(),
    redirectUrl: field(
      'Where the login returns to: one of the URLs that the operator has allowed. By default the first one. Null means the default.',
      issuedText().max(2_000).nullish(),
      { examples: ['https://app.example.com/login'], maxLength: 2_000 },
    ),
    loginHint: field(
      'What the person has typed, such as the address. Providers with OpenID Connect get it as `login_hint`, and need not ask again.',
      issuedText().max(255).optional(),
      { examples: ['ada@example.com'], maxLength: 255 },
    ),
  },
)
export type StartLoginBody = z.infer<typeof StartLoginBody>

/** Response of `startLogin`. */
export const ExternalLogin = component(
  {
    id: 'ExternalLogin',
    description: 'A login at a provider. Nothing is stored until the provider returns.',
    examples: [
      {
        login: loginExample,
        url: 'https://accounts.example.com/authorize?client_id=app&state=e30',
        state: stateExample,
        nonce: verifierExample,
        expiresAt: '2026-03-01T12:10:00.000Z',
      },
    ],
  },
  z.object({
    login: field('ID of the login. A failed login returns with it.', z.uuid()),
    url: field('Where to lead the browser.', z.url()),
    state: field('What `loginWithIdToken` needs. `url` has it, too.', z.string()),
    nonce: field(
      'The nonce with which an app on a phone requests an ID token. `url` has it, too.',
      z.string(),
    ),
    expiresAt: instant('When the login expires'),
  }),
)
export type ExternalLogin = z.infer<typeof ExternalLogin>

/** Body of `loginWithIdToken`. */
export const LoginWithIdTokenBody = body(
  {
    id: 'LoginWithIdTokenBody',
    description: 'An ID token that the app has from the provider, and the login for which it was requested.',
    example: { state: stateExample, idToken: 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln', verifier: verifierExample },
  },
  {
    state: field('`state` of `startLogin`.', issuedText(), { examples: [stateExample], maxLength: 16_384 }),
    idToken: field(
      'The ID token (OpenID Connect Core, section 2). Its `nonce` is that of `startLogin`, or the SHA-256 of it in hexadecimal.',
      issuedText(),
      { examples: ['eyJhbGciOiJSUzI1NiJ9.e30.c2ln'], maxLength: 16_384 },
    ),
    verifier: verifier(),
    ...newUserFields(),
  },
)
export type LoginWithIdTokenBody = z.infer<typeof LoginWithIdTokenBody>

export const connections = c.router({
  listConnections: {
    method: 'GET',
    path: `${databasePath}/connections`,
    pathParams: DatabasePath,
    responses: { 200: ConnectionList, ...failures(...databaseProblems) },
    summary: 'List the providers with which users log in',
    description: 'For the buttons of a page. Needs no token.',
    metadata: { who: 'anyone', links: ['startLogin'] },
  },
  startLogin: {
    method: 'POST',
    path: `${usersPath}/login/start`,
    pathParams: DatabasePath,
    body: StartLoginBody,
    responses: {
      200: ExternalLogin,
      ...failures('connection_not_found', 'provider_unavailable', ...bodyProblems, ...databaseProblems),
    },
    summary: 'Start a login at a provider',
    description:
      'Returns the URL to which to lead the browser. The provider returns to the server, which leads the browser to `redirectUrl` with `#code=…` for `finishLogin`, or with `#error=…&login=…`. The error is `access_denied` if the person has cancelled, `code_invalid` if the login has expired or has returned before, `connection_not_found`, `provider_invalid`, `provider_unavailable` or `too_many_attempts`. Nothing is stored.',
    metadata: { who: 'anyone', links: ['finishLogin', 'loginWithIdToken'], isRepeatable: true },
  },
  loginWithIdToken: {
    method: 'POST',
    path: `${usersPath}/login/id-token`,
    pathParams: DatabasePath,
    body: LoginWithIdTokenBody,
    responses: {
      200: FinishedLogin,
      ...failures('connection_not_found', 'provider_unavailable', ...loginProblems, ...databaseProblems),
    },
    summary: 'Log in or sign up with an ID token',
    description:
      'For apps on phones and for One Tap, which have an ID token from the provider without a redirect. Otherwise as `finishLogin`. A token is used once. `code_invalid`: the token or the state is invalid, expired, or was used.',
    metadata: { who: 'anyone', links: ['getMe', 'openSession'], signsIn: 'login', isRepeatable: true },
  },
} satisfies DescribedRoutes)
