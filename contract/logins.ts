import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath, usersPath } from './database-path.js'
import { NewEmail } from './email.js'
import { accountProblems, bodyProblems, databaseProblems, failures, ownProblems } from './failures.js'
import { failsWith, mustBe } from './field-errors.js'
import { body, code, codeExample, id, instant } from './fields.js'
import type { DescribedRoutes } from './metadata.js'
import { component, field } from './registry.js'
import { secondFactor, secondStepProblems } from './second-factor.js'
import { CreateUserBody, signUpProfile } from './sign-up.js'
import { sixDigits } from './typed-text.js'
import { SignedInUser, signedInExample } from './users.js'

const c = initContract()

export const loginExample = codeExample.slice(0, 36)
export const verifierExample = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

/** Returns the schema of a text of a pattern. */
const matching = (pattern: RegExp, detail: string) =>
  z.string(mustBe('a string')).regex(pattern, failsWith('invalid_type', detail))

/** Returns the schema of what binds a login to its client. */
export const challenge = () =>
  field(
    'SHA-256 of a new random verifier as base64url, as the method `S256` of PKCE (RFC 7636, section 4.2). The client keeps the verifier for `finishLogin`.',
    matching(/^[\w-]{43}$/, 'must be a SHA-256 as base64url, of 43 characters'),
    { examples: ['E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'], maxLength: 43 },
  )

/** Returns the schema of the verifier of a challenge. */
export const verifier = () =>
  field(
    'The verifier whose SHA-256 was `challenge`.',
    matching(/^[\w.~-]{43,128}$/, 'must be 43 to 128 characters A-Z, a-z, 0-9, "-", ".", "_" and "~"'),
    { examples: [verifierExample], maxLength: 128 },
  )

/** Body of `requestLoginCode`. */
export const RequestLoginCodeBody = body(
  {
    id: 'RequestLoginCodeBody',
    description: 'The address of the user, and what binds the login to this client.',
    example: { email: 'ada@example.com', challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' },
  },
  {
    email: NewEmail,
    challenge: challenge(),
  },
)
export type RequestLoginCodeBody = z.infer<typeof RequestLoginCodeBody>

/** Response of `requestLoginCode`. */
export const StartedLogin = component(
  {
    id: 'StartedLogin',
    description: 'A login that the mail can finish. It does not reveal whether a mail is sent.',
    examples: [{ login: loginExample, expiresAt: '2026-03-01T12:10:00.000Z' }],
  },
  z.object({
    login: field('ID of the login.', z.uuid()),
    expiresAt: instant('When the link and the digits in the mail expire'),
  }),
)
export type StartedLogin = z.infer<typeof StartedLogin>

const { newTenant } = CreateUserBody.shape

const MailProof = component(
  { id: 'MailProof', description: 'A mailed code that proves the address of a login at a provider.' },
  z.object(
    {
      login: id('`login` of `requestLoginCode`.', loginExample),
      digits: field('The six digits in the mail.', sixDigits(), { examples: ['240618'], maxLength: 64 }),
    },
    mustBe('an object'),
  ),
)

/** Returns what a login that may sign up takes. */
export const newUserFields = () => ({
  ...signUpProfile(),
  newTenant: newTenant.clone(),
  invitationCode: CreateUserBody.shape.invitationCode.clone(),
  mayCreate: field(
    'Whether to sign up a person without an account. By default true. False returns `account_missing` instead.',
    z.boolean(failsWith('invalid_type', 'must be true or false')).optional(),
  ),
  mail: field(
    'After `email_not_proven`: the mailed code that proves the address. It was requested with the same verifier.',
    MailProof.optional(),
  ),
  secondFactor: secondFactor(),
})

/** Problems of an operation that logs a person in, or signs one up. */
export const loginProblems = [
  'code_invalid',
  'sign_up_closed',
  'sign_up_refused',
  'login_refused',
  'account_missing',
  'account_exists',
  'not_member',
  'membership_ended',
  'second_factor_missing',
  'email_not_verified',
  'email_not_proven',
  'email_taken',
  'invitation_for_other_address',
  'seats_full',
  'too_many_attempts',
  'too_many_sign_ups',
  ...secondStepProblems,
  ...bodyProblems,
] as const

/** Body of `finishLogin`. */
export const FinishLoginBody = body(
  {
    id: 'FinishLoginBody',
    description:
      'Either `code`, or `login` and `digits`. With the verifier of the client that started the login.',
    example: { login: loginExample, digits: '240618', verifier: verifierExample },
  },
  {
    code: code(
      'The code in the mail, or in the URL to which the provider has led: what follows `#code=`.',
    ).optional(),
    login: id('`login` of `requestLoginCode`, with `digits`.', loginExample).optional(),
    digits: field('The six digits in the mail.', sixDigits().optional(), {
      examples: ['240618'],
      maxLength: 64,
    }),
    verifier: verifier(),
    ...newUserFields(),
  },
)
export type FinishLoginBody = z.infer<typeof FinishLoginBody>

/** Response of `finishLogin`. */
export const FinishedLogin = component(
  {
    id: 'FinishedLogin',
    description: 'The user who has logged in, with a new access token.',
    examples: [{ ...signedInExample, isNewUser: false }],
  },
  SignedInUser.extend({ isNewUser: field('Whether this login has signed the user up.', z.boolean()) }),
)
export type FinishedLogin = z.infer<typeof FinishedLogin>

/** Body of `addTenantProof`. */
export const AddTenantProofBody = body(
  {
    id: 'AddTenantProofBody',
    description: 'A login that has returned from the identity provider of a tenant.',
    example: { code: codeExample, verifier: verifierExample },
  },
  {
    code: code('The code in the URL to which the provider has led: what follows `#code=`.'),
    verifier: verifier(),
  },
)
export type AddTenantProofBody = z.infer<typeof AddTenantProofBody>

export const logins = c.router({
  requestLoginCode: {
    method: 'POST',
    path: `${usersPath}/login/code`,
    pathParams: DatabasePath,
    body: RequestLoginCodeBody,
    responses: { 202: StartedLogin, ...failures(...bodyProblems, ...accountProblems) },
    summary: 'Request a mail to log in or sign up',
    description:
      'Sends a mail with a link, six digits or both, which are valid for 10 minutes. `getFeatures` says which. The response is the same for every address. An address gets at most one mail a minute and five an hour. The network of the client and the database have limits, too. If sign-up is closed, only accounts and invited addresses get a mail.',
    metadata: { who: 'anyone', on: 'loginMail', links: ['finishLogin'], isRepeatable: true },
  },
  finishLogin: {
    method: 'POST',
    path: `${usersPath}/login/finish`,
    pathParams: DatabasePath,
    body: FinishLoginBody,
    responses: {
      200: FinishedLogin,
      ...failures(...loginProblems, ...databaseProblems),
    },
    summary: 'Finish a login by mail or at a provider',
    description:
      'Needs the verifier of the client that started the login, so that a forwarded link logs nobody in. A person without an account signs up, with a verified address and without a password. `preferredName`, `locale` and `newTenant` are those of a new user. With `invitationCode`, the user joins the tenant. If the address of an account was never verified, its password, sessions, tokens and codes are removed first. The digits can be tried three times. An identity of a provider is linked to the account with its address if the provider is authoritative for the address, or with `mail`. A refused request does not use up the code. The same success can be repeated for 30 seconds, and opens one session.',
    metadata: { who: 'anyone', links: ['getMe', 'openSession'], signsIn: 'login', isRepeatable: true },
  },
  addTenantProof: {
    method: 'POST',
    path: `${usersPath}/me/tenant-proofs`,
    pathParams: DatabasePath,
    body: AddTenantProofBody,
    responses: {
      200: SignedInUser,
      ...failures(
        'code_invalid',
        'not_member',
        'account_exists',
        'identity_taken',
        'step_up_required',
        ...ownProblems,
        ...bodyProblems,
        ...accountProblems,
      ),
    },
    summary: 'Open a tenant that requires single sign-on',
    description:
      'Adds the tenant to the session of the current user, after a login at its identity provider that `startLogin` began with the ID of the connection. The first such login links the person at the provider to the user, who must be a member. The response has a token with the tenant. A session of a tenant can only add tenants to which the user is linked.',
    metadata: {
      who: { user: 'needed', ofTenant: true },
      on: 'sso',
      signsIn: 'session',
      isRepeatable: true,
      links: ['getMe', 'refreshSession'],
    },
  },
} satisfies DescribedRoutes)
