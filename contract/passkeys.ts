import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath, usersPath } from './database-path.js'
import { factorExample } from './factor.js'
import { AddedFactor, EnrolTotpBody } from './factor-bodies.js'
import { accountProblems, bodyProblems, failures, ownProblems, withoutBodyProblems } from './failures.js'
import { body, name } from './fields.js'
import type { DescribedRoutes } from './metadata.js'
import {
  creationOptionsExample,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  requestOptionsExample,
} from './passkey-options.js'
import { AuthenticationResponseJSON, RegistrationResponseJSON } from './passkey-responses.js'
import { component, field } from './registry.js'
import { ConfirmedUser } from './second-factor.js'

const c = initContract()

/** Response of `beginPasskeyLogin`. */
export const BegunPasskeyLogin = component(
  {
    id: 'BegunPasskeyLogin',
    description: 'What the browser needs to log in with a passkey.',
    examples: [{ options: requestOptionsExample }],
  },
  z.object({ options: PublicKeyCredentialRequestOptionsJSON }),
)
export type BegunPasskeyLogin = z.infer<typeof BegunPasskeyLogin>

/** Body of `loginWithPasskey`. */
export const LoginWithPasskeyBody = body(
  {
    id: 'LoginWithPasskeyBody',
    description: 'What the browser has returned.',
    example: {
      passkey: { id: 'eQ', response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' } },
    },
  },
  { passkey: AuthenticationResponseJSON },
)
export type LoginWithPasskeyBody = z.infer<typeof LoginWithPasskeyBody>

/** Body of `enrolPasskey`: that of `enrolTotp`. */
export const EnrolPasskeyBody = body(
  {
    id: 'EnrolPasskeyBody',
    description: 'What confirms that the user wants the passkey.',
    example: { password: 'correct horse battery' },
  },
  EnrolTotpBody.shape,
)
export type EnrolPasskeyBody = z.infer<typeof EnrolPasskeyBody>

/** Response of `enrolPasskey`. */
export const EnrolledPasskey = component(
  {
    id: 'EnrolledPasskey',
    description: 'What the browser needs to create a passkey. Nothing is stored before `addPasskey`.',
    examples: [{ options: creationOptionsExample }],
  },
  z.object({ options: PublicKeyCredentialCreationOptionsJSON }),
)
export type EnrolledPasskey = z.infer<typeof EnrolledPasskey>

/** Body of `addPasskey`. */
export const AddPasskeyBody = body(
  {
    id: 'AddPasskeyBody',
    description: 'What the browser has returned.',
    example: { passkey: { id: 'eQ', response: { clientDataJSON: 'e30', attestationObject: 'oA' } } },
  },
  {
    passkey: RegistrationResponseJSON,
    name: field('Name of the passkey, such as that of the device. Null means none.', name().nullish(), {
      examples: [factorExample.name],
    }),
  },
)
export type AddPasskeyBody = z.infer<typeof AddPasskeyBody>

const onMe = [...ownProblems, ...bodyProblems, ...accountProblems] as const
const signedIn = { links: ['getMe', 'openSession'] } as const

export const passkeys = c.router({
  beginPasskeyLogin: {
    method: 'POST',
    path: `${usersPath}/login/passkey`,
    pathParams: DatabasePath,
    body: c.noBody(),
    responses: { 200: BegunPasskeyLogin, ...failures(...withoutBodyProblems, ...accountProblems) },
    summary: 'Begin a login with a passkey',
    description:
      'Returns what `navigator.credentials.get` needs, also with `mediation: "conditional"` for a list in the field of the email address. Stores nothing. The challenge is valid for 300 seconds, and for one login.',
    metadata: { who: 'anyone', on: 'passkeys' },
  },
  loginWithPasskey: {
    method: 'POST',
    path: `${usersPath}/login/passkey/confirm`,
    pathParams: DatabasePath,
    body: LoginWithPasskeyBody,
    responses: {
      200: ConfirmedUser,
      ...failures(
        'challenge_invalid',
        'login_refused',
        'passkey_invalid',
        'passkey_unknown',
        'too_many_attempts',
        ...bodyProblems,
        ...accountProblems,
      ),
    },
    summary: 'Log in with a passkey',
    description:
      'Logs in without an email address and without a password. A passkey that has verified its user counts as two factors, so there is no second step.',
    metadata: { who: 'anyone', on: 'passkeys', ...signedIn, signsIn: 'login' },
  },
  enrolPasskey: {
    method: 'POST',
    path: `${usersPath}/me/factors/passkey`,
    pathParams: DatabasePath,
    body: EnrolPasskeyBody,
    responses: {
      200: EnrolledPasskey,
      ...failures(
        'challenge_invalid',
        'email_not_verified',
        'factors_full',
        'recent_login_required',
        'step_up_required',
        'too_many_attempts',
        ...onMe,
      ),
    },
    summary: 'Begin to add a passkey',
    description:
      'Returns what `navigator.credentials.create` needs. A user who has a second factor sends a confirmation. A user who has a password sends the password, too, unless the confirmation is that of a login with the password. A user with neither must have logged in within 10 minutes. The address must be verified if a mail to it could log in or reset the password.',
    metadata: { who: { user: 'optional' }, on: 'passkeys', hashesPassword: true },
  },
  addPasskey: {
    method: 'POST',
    path: `${usersPath}/me/factors/passkey/confirm`,
    pathParams: DatabasePath,
    body: AddPasskeyBody,
    responses: {
      201: AddedFactor,
      ...failures('challenge_invalid', 'email_not_verified', 'passkey_invalid', ...onMe),
    },
    summary: 'Add a passkey',
    description:
      'The user can log in with it, and prove a second factor with it. Logins with a password stay as they are: see `setSecondFactor`. The returned token can open a new session. Other sessions continue. The first factor also creates recovery codes.',
    metadata: { who: { user: 'optional' }, on: 'passkeys', ...signedIn, signsIn: 'login' },
  },
} satisfies DescribedRoutes)
