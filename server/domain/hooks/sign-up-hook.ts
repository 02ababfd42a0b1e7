import type { SignUpHookAnswer, SignUpHookRequest } from '@usher/contract/sign-up-hook'
import { findSignUpHook } from '../../store/queries/databases.js'
import type { MasterKeys, Queries } from '../../store/store.js'
import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { openRequestSecret } from '../keys/master-key.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { type AskHook, HookError } from './ask-hook.js'
import { type createBreaker, HookBusy } from './breaker.js'

/** Asks the hooks of a process. */
export interface Hooks {
  ask: AskHook
  /** Spares hooks that fail. */
  spare: ReturnType<typeof createBreaker>
}

type Data = SignUpHookRequest['data']
/** A person who wants to sign up. What is not given is null. */
export type NewPerson = Pick<Data, 'email' | 'way'> &
  Partial<
    Record<'connection' | 'preferredName' | 'locale' | 'invitedTo' | 'newTenant', string | null | undefined>
  >

/** What the hook adds to the user. */
export type Accepted = Pick<SignUpHookAnswer, 'privateMetadata'>

/**
 * Asks the hook of a database whether a person may sign up. Never in a transaction, since the hook may send requests itself.
 *
 * @returns undefined if the database has no hook
 * @throws {Problem} `sign_up_refused`; `unavailable` if the hook fails or is busy
 */
export async function askBeforeSignUp(
  context: AppContext,
  { database, caller }: Pick<DatabaseRequest, 'database' | 'caller'>,
  person: NewPerson,
): Promise<Accepted | undefined> {
  const { id: databaseId, signUpHookUrl, signUpHookFailure } = database
  if (signUpHookUrl === null) return undefined
  const { ask, spare } = context.hooks
  const request = requestOf(databaseId, { ...person, at: context.now() })
  try {
    const answer = await spare(`${databaseId} ${signUpHookUrl}`, async (): Promise<SignUpHookAnswer> => {
      const hook = await readHook(context.store, databaseId)
      // The hook was removed a moment ago.
      return hook ? ask(hook, request) : { allow: true }
    })
    if (answer.allow) return { privateMetadata: answer.privateMetadata }
    audit(caller.log, 'sign_up.refused', { databaseId })
    throw new Problem('sign_up_refused', { reason: answer.reason ?? undefined })
  } catch (error) {
    if (error instanceof HookBusy) throw unavailable(error)
    if (!(error instanceof HookError)) throw error
    const isAllowed = signUpHookFailure === 'allow'
    audit(caller.log, 'sign_up.hook_failed', { databaseId, reason: error.message, isAllowed })
    if (isAllowed) return {}
    throw unavailable(error)
  }
}

const unavailable = (cause: Error) =>
  new Problem('unavailable', { detail: 'The app cannot be asked about the sign-up now.', cause })

/** Returns the hook of a database, or undefined. */
export async function readHook(store: Queries & MasterKeys, id: string) {
  const found = await findSignUpHook(store, id)
  if (!found) return undefined
  const secret = openRequestSecret(store, found.sealed, { id, field: 'sealedSignUpHookSecret' })
  return { url: found.url, secret }
}

/** Returns the request about a person. @param person.isTest whether nobody signs up */
export const requestOf = (
  databaseId: string,
  { at, email, way, isTest = false, ...given }: NewPerson & { at: number; isTest?: boolean },
): SignUpHookRequest => ({
  type: 'sign_up.requested',
  timestamp: new Date(at).toISOString(),
  data: {
    databaseId,
    email,
    way,
    connection: given.connection ?? null,
    preferredName: given.preferredName ?? null,
    locale: given.locale ?? null,
    invitedTo: given.invitedTo ?? null,
    newTenant: given.newTenant ?? null,
    isTest,
  },
})
