import type { TestedHook } from '@usher/contract/operator'
import type { AppContext } from '../context.js'
import { HookError } from '../hooks/ask-hook.js'
import { readHook, requestOf } from '../hooks/sign-up-hook.js'
import { Problem } from '../problem.js'
import type { OperatorDatabaseRequest } from './operator-request.js'

/** Asks the sign-up hook of a database about a made-up person, also while it is paused. @throws {Problem} `hook_missing` */
export async function testSignUpHook(
  { store, hooks, now }: AppContext,
  { database: { id } }: OperatorDatabaseRequest,
): Promise<TestedHook> {
  const hook = await readHook(store, id)
  if (!hook) throw new Problem('hook_missing', { detail: 'The database has no sign-up hook.', about: '' })
  const person = { email: 'test@example.com', way: 'password', isTest: true, at: now() } as const
  const start = performance.now()
  const answer = await hooks.ask(hook, requestOf(id, person)).then(
    ({ allow, reason = null }) => ({ allow, reason, error: null }),
    (error) => {
      if (!(error instanceof HookError)) throw error
      return { allow: null, reason: null, error: error.message }
    },
  )
  return { ...answer, milliseconds: Math.round(performance.now() - start) }
}
