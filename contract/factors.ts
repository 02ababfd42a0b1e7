import { initContract } from '@ts-rest/core'
import type { z } from 'zod'
import { DatabasePath, usersPath } from './database-path.js'
import { Factor, factorExample } from './factor.js'
import {
  AddedFactor,
  AddTotpBody,
  EnrolledTotp,
  EnrolTotpBody,
  FactorList,
  RecoveryCodes,
  RenameFactorBody,
  SetSecondFactorBody,
  StepUpBody,
  VerifySecondFactorBody,
} from './factor-bodies.js'
import { accountProblems, bodyProblems, failures, ownProblems, withoutBodyProblems } from './failures.js'
import { id } from './fields.js'
import type { DescribedRoutes } from './metadata.js'
import { ConfirmationBody, ConfirmedUser } from './second-factor.js'
import { BegunStepUp } from './second-step.js'

const c = initContract()

/** The path of a factor of the current user. */
export const FactorPath = DatabasePath.extend({ factorId: id('ID of the factor.', factorExample.id) })
export type FactorPath = z.infer<typeof FactorPath>

const onMe = [...ownProblems, ...bodyProblems, ...accountProblems] as const
const proven = ['second_factor_invalid', 'too_many_attempts'] as const
const signedIn = { links: ['getMe', 'openSession'] } as const

export const factors = c.router({
  verifySecondFactor: {
    method: 'POST',
    path: `${usersPath}/login/second-factor`,
    pathParams: DatabasePath,
    body: VerifySecondFactorBody,
    responses: {
      200: ConfirmedUser,
      ...failures('challenge_invalid', ...proven, ...bodyProblems, ...accountProblems),
    },
    summary: 'Log in with the second factor',
    description:
      'Finishes a login that was answered with `second_factor_required`. The challenge is valid for 300 seconds. A code of an app is accepted once. After ten wrong ones, each further attempt takes 4.8 hours.',
    metadata: { who: 'anyone', on: 'factors', ...signedIn, signsIn: 'login' },
  },
  beginStepUp: {
    method: 'POST',
    path: `${usersPath}/me/step-up/begin`,
    pathParams: DatabasePath,
    body: c.noBody(),
    responses: {
      200: BegunStepUp,
      ...failures(...ownProblems, ...withoutBodyProblems, ...accountProblems),
    },
    summary: 'List what the current user can prove',
    description:
      'For `stepUp`. A passkey needs the options. Stores nothing. The challenge is valid for 300 seconds.',
    metadata: { who: { user: 'needed' }, on: 'factors' },
  },
  stepUp: {
    method: 'POST',
    path: `${usersPath}/me/step-up`,
    pathParams: DatabasePath,
    body: StepUpBody,
    responses: { 200: ConfirmedUser, ...failures('recent_login_required', ...proven, ...onMe) },
    summary: 'Prove the second factor again',
    description:
      'Returns a confirmation for sensitive changes, and a token whose `acr` and `auth_time` say that the user was there. The session of the request keeps them when it is refreshed. The token belongs to the same session. A user with neither a second factor nor a password has nothing to prove, and logs in again: `recent_login_required`.',
    metadata: { who: { user: 'needed' }, on: 'factors', hashesPassword: true, signsIn: 'session' },
  },
  listFactors: {
    method: 'GET',
    path: `${usersPath}/me/factors`,
    pathParams: DatabasePath,
    responses: { 200: FactorList, ...failures(...ownProblems, ...accountProblems) },
    summary: 'List the second factors of the current user',
    description: 'Returns the factors, how many recovery codes are left, and whether there is a password.',
    metadata: { who: { user: 'needed' }, on: 'factors' },
  },
  enrolTotp: {
    method: 'POST',
    path: `${usersPath}/me/factors/totp`,
    pathParams: DatabasePath,
    body: EnrolTotpBody,
    responses: {
      200: EnrolledTotp,
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
    summary: 'Create a secret for an authenticator app',
    description:
      'Show `uri` as a QR code. The factor exists only after `addTotp`. A user who has a second factor sends a confirmation. A user who has a password sends the password, too, unless the confirmation is that of a login with the password. A user with neither must have logged in within 10 minutes. The address must be verified if a mail to it could log in or reset the password.',
    metadata: { who: { user: 'optional' }, on: 'factors', hashesPassword: true },
  },
  addTotp: {
    method: 'POST',
    path: `${usersPath}/me/factors/totp/confirm`,
    pathParams: DatabasePath,
    body: AddTotpBody,
    responses: {
      201: AddedFactor,
      ...failures('challenge_invalid', 'email_not_verified', 'second_factor_invalid', ...onMe),
    },
    summary: 'Add an authenticator app as second factor',
    description:
      'Logins need a code of it from then on. Ends all sessions of the user, and revokes all earlier access tokens. The returned token belongs to no session, and can open a new one. The first factor also creates recovery codes.',
    metadata: { who: { user: 'optional' }, on: 'factors', ...signedIn, signsIn: 'login' },
  },
  renameFactor: {
    method: 'PATCH',
    path: `${usersPath}/me/factors/:factorId`,
    pathParams: FactorPath,
    body: RenameFactorBody,
    responses: { 200: Factor, ...failures('factor_not_found', ...onMe) },
    summary: 'Rename a second factor',
    description: 'Changes the name that the list shows.',
    metadata: { who: { user: 'needed' }, on: 'factors', isRepeatable: true },
  },
  removeFactor: {
    method: 'POST',
    path: `${usersPath}/me/factors/:factorId/removal`,
    pathParams: FactorPath,
    body: ConfirmationBody,
    responses: {
      200: ConfirmedUser,
      ...failures('factor_not_found', 'factor_needed', 'last_login_method', 'step_up_required', ...onMe),
    },
    summary: 'Remove a second factor',
    description:
      'Ends all sessions of the user, and revokes all earlier access tokens. The returned token can open a new session. With the last factor, the recovery codes go too, and logins need no second factor.',
    metadata: { who: { user: 'needed' }, on: 'factors', ...signedIn, signsIn: 'renewal' },
  },
  setSecondFactor: {
    method: 'PUT',
    path: `${usersPath}/me/second-factor`,
    pathParams: DatabasePath,
    body: SetSecondFactorBody,
    responses: { 200: ConfirmedUser, ...failures('factor_needed', 'step_up_required', ...onMe) },
    summary: 'Turn the second factor of logins on or off',
    description:
      'The factors stay, for `stepUp`. Ends all sessions of the user, and revokes all earlier access tokens. The returned token can open a new session.',
    metadata: { who: { user: 'needed' }, on: 'factors', ...signedIn, signsIn: 'renewal' },
  },
  createRecoveryCodes: {
    method: 'POST',
    path: `${usersPath}/me/recovery-codes`,
    pathParams: DatabasePath,
    body: ConfirmationBody,
    responses: { 201: RecoveryCodes, ...failures('factor_needed', 'step_up_required', ...onMe) },
    summary: 'Create new recovery codes',
    description: 'Replaces all earlier ones.',
    metadata: { who: { user: 'needed' }, on: 'factors' },
  },
} satisfies DescribedRoutes)
