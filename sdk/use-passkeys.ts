import { useEffect } from 'react'
import type { PasskeyLoginErrorCode, Passkeys } from './passkeys.js'
import { type StepState, useSteps } from './use-steps.js'

/** A login with a passkey, as a component shows it. */
export interface PasskeyLoginState extends StepState<'login', PasskeyLoginErrorCode> {
  /** Lets the user choose a passkey, and logs in. */
  readonly login: () => Promise<void>
}

/**
 * Returns a login with a passkey. While the component is shown, the list of a field with `autocomplete="username webauthn"` offers
 * passkeys, too. A success changes the `state` of the client, which `useUser` shows.
 *
 * @example
 * ```tsx
 * const passkeys = createPasskeys(usher)
 * const { isPending, error, login } = usePasskeyLogin(passkeys)
 * ```
 */
export function usePasskeyLogin(passkeys: Passkeys): PasskeyLoginState {
  const [state, run] = useSteps<'login', PasskeyLoginErrorCode>('login')

  useEffect(() => {
    const { signal, abort } = abortable()
    passkeys.autofill({ signal }).then((result) => result && run('login', Promise.resolve(result)))
    return abort
  }, [passkeys])

  return { ...state, login: () => run('login', passkeys.login()) }
}

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort(undefined) }
}
