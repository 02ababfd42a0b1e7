import {
  type AddUserBody,
  type ChangeUserBody,
  type CreateCodeBody,
  changeableFields,
  type IdempotencyHeaders,
  type ManagedUser,
  type SetPasswordBody,
  type UserCode,
} from '@usher/contract/management'
import type { z } from 'zod'
import { runChange } from '../../change.js'
import { createCode } from '../../codes/create-code.js'
import type { AppContext } from '../../context.js'
import * as emailChange from '../../email-change/change-user.js'
import { changeOncePerKey } from '../../once-per-key.js'
import { unless } from '../../problem.js'
import type { KeyRequest } from '../../request.js'
import * as added from '../../users/add-user.js'
import * as changes from '../../users/user-changes.js'
import { etagOf, requireMatch } from '../etag.js'
import { findAccount } from './find-account.js'
import { managedUser } from './managed-users.js'

type OfUser<Body = unknown> = KeyRequest<Body> & { params: { userId: string } }
type Repeatable = { params: object; headers: IdempotencyHeaders }

/** Adds a user: see {@link added.addUser}. */
export const addUser = (
  context: AppContext,
  request: KeyRequest<AddUserBody> & Repeatable,
): Promise<ManagedUser> =>
  changeOncePerKey(context, request, {
    operation: 'addUser',
    prepare: () => added.addUser({ ...context, client: request.caller }, request.database, request.body),
    responseOf: managedUser,
    userOf: ({ id }) => id,
  })

/** Changes fields of a user: see {@link emailChange.changeUser}. @throws {Problem} also `precondition_failed` */
export async function changeUser(
  context: AppContext,
  request: OfUser<z.infer<typeof ChangeUserBody>> & { headers: { 'if-match'?: string | undefined } },
): Promise<ManagedUser> {
  const { database, params, body, headers } = request
  const { emailVerified: isVerified, disabled: isDisabled, ...given } = body
  const wanted: Parameters<typeof emailChange.changeUser>[1] = {
    userId: params.userId,
    changes: { ...given, isVerified, isDisabled },
    require: ({ emailVerifiedAt, disabledAt, ...user }) => {
      const shown = { ...user, emailVerified: emailVerifiedAt !== null, disabled: disabledAt !== null }
      requireMatch(headers['if-match'], etagOf(shown, changeableFields))
    },
  }
  await runChange(context, request, (change) => emailChange.changeUser(change, wanted))
  const read = await context.findManagedUser(database.id, { id: params.userId })
  return managedUser(read?.user)
}

/** Sets the password of a user: see {@link changes.setPassword}. */
export async function setUserPassword(context: AppContext, request: OfUser<z.infer<typeof SetPasswordBody>>) {
  const { database, params, body, caller } = request
  const user = await findAccount(context.store, database, params.userId)
  await changes.setPassword(context, request, { user, password: body.password, client: caller })
}

/** Deletes a user: see {@link changes.deleteUser}. Does nothing if there is none. */
export const removeUser = (context: AppContext, request: OfUser) =>
  runChange(context, request, (change) =>
    changes.deleteUser(change, { ...request.params, throttle: context.throttle }),
  ).catch(unless('user_not_found'))

/** Ends the sessions of a user, and revokes the tokens. @throws {Problem} `user_not_found` */
export const endUserSessions = (context: AppContext, request: OfUser) =>
  runChange(context, request, (change) => changes.revokeTokens(change, request.params))

/** Clears the failed logins of a user. @throws {Problem} `user_not_found` */
export const unlockUser = (context: AppContext, request: OfUser) =>
  runChange(context, request, (change) =>
    changes.unlockUser(change, { ...request.params, throttle: context.throttle }),
  )

/** Sends a code to a user, or returns it: see {@link createCode}. */
export async function createUserCode(
  context: AppContext,
  request: OfUser<z.infer<typeof CreateCodeBody>> & Repeatable,
): Promise<z.infer<typeof UserCode>> {
  const { database, params, body } = request
  const secrets = body.deliver === 'return' ? await context.findSecrets(database.id) : undefined
  const wanted = { userId: params.userId, purpose: body.purpose, secrets }
  return changeOncePerKey(context, request, {
    operation: 'createUserCode',
    secrets: ['code'],
    prepare: async () => (change) => createCode(change, wanted),
    responseOf: ({ code, expiresAt }) => ({ code, expiresAt: expiresAt.toISOString() }),
    userOf: () => params.userId,
  })
}
