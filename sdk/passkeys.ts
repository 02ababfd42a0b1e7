import {
  browser,
  type CeremonyErrorCode,
  createPasskey,
  getPasskey,
  startList,
  whileStarted,
} from './ceremony.js'
import type {
  AddPasskeyErrorCode,
  BeginPasskeyLoginErrorCode,
  EnrolPasskeyErrorCode,
  LoginWithPasskeyErrorCode,
  Operations,
} from './endpoints.js'
import type { Result } from './result.js'
import type {
  AddedFactor,
  AuthenticationResponseJSON,
  ConfirmedUser,
  EnrolPasskeyBody,
  PublicKeyCredentialRequestOptionsJSON,
} from './schemas.js'
import type { CallOptions } from './send.js'

export type { CeremonyErrorCode } from './ceremony.js'

/** What `createPasskeys` uses of a client. */
export type PasskeyClient = Pick<
  Operations,
  'beginPasskeyLogin' | 'loginWithPasskey' | 'enrolPasskey' | 'addPasskey' | 'listFactors'
>

/** Every `error.code` of `login`. */
export type PasskeyLoginErrorCode = BeginPasskeyLoginErrorCode | LoginWithPasskeyErrorCode | CeremonyErrorCode
/** Every `error.code` of `add`. */
export type AddPasskeyFailureCode = EnrolPasskeyErrorCode | AddPasskeyErrorCode | CeremonyErrorCode

/** What a page does with passkeys. Its functions work without `this`. Browsers run one of them at a time. */
export interface Passkeys {
  /** Lets the user choose a passkey, and logs in. */
  login(options?: CallOptions): Promise<Result<ConfirmedUser, PasskeyLoginErrorCode>>
  /**
   * Offers passkeys in the list of a field with `autocomplete="username webauthn"`, and logs in when the user chooses one. Waits until
   * then, and renews the challenge. `login`, `add` and `prove` end it. It ends none of them.
   *
   * @returns undefined if it was ended, or the browser offers no passkeys in lists
   */
  autofill(options?: CallOptions): Promise<Result<ConfirmedUser, PasskeyLoginErrorCode> | undefined>
  /**
   * Adds a passkey of this device. Needs what `enrolPasskey` needs, such as the password.
   *
   * @param body `name`: how the list of the user calls it
   */
  add(
    body?: EnrolPasskeyBody & { name?: string | null },
    options?: CallOptions,
  ): Promise<Result<AddedFactor, AddPasskeyFailureCode>>
  /**
   * Proves a second factor, for the option `secondFactor` of a client and for `stepUp`.
   *
   * @returns undefined if the user has cancelled
   */
  prove(
    options: PublicKeyCredentialRequestOptionsJSON,
  ): Promise<{ passkey: AuthenticationResponseJSON } | undefined>
  /** Tells the device which passkeys the user has, so that it no longer offers removed ones. Call it after `removeFactor`. */
  signal(options?: CallOptions): Promise<void>
}

/** Less than a challenge is valid. */
const renewalMs = 240_000

/**
 * Creates what logs users in with passkeys (WebAuthn). The client stores the token, and opens a session if it is one of
 * `createSessionClient`.
 *
 * @example
 * ```ts
 * const passkeys = createPasskeys(usher)
 * button.onclick = async () => show(await passkeys.login())
 * ```
 */
export function createPasskeys(usher: PasskeyClient): Passkeys {
  async function finish(passkey: AuthenticationResponseJSON, rpId: string, options?: CallOptions) {
    const result = await usher.loginWithPasskey({ passkey }, options)
    if (result.error?.code === 'passkey_unknown')
      await browser.PublicKeyCredential?.signalUnknownCredential?.({ rpId, credentialId: passkey.id }).catch(
        ignore,
      )
    return result
  }

  /** Waits for a choice in a list until the challenge has to be renewed. Returns undefined then, and if it was ended. */
  async function offer(mayWait: () => boolean, renewed: () => void, options?: CallOptions) {
    const signal = options?.signal
    const begun = await usher.beginPasskeyLogin(options)
    if (begun.error) return begun
    if (!mayWait()) return undefined
    const controller = new AbortController()
    const end = () => controller.abort(undefined)
    const timer = setTimeout(() => {
      renewed()
      end()
    }, renewalMs)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
    const chosen = await getPasskey(begun.data.options, {
      signal: controller.signal,
      mediation: 'conditional',
    })
    clearTimeout(timer)
    signal?.removeEventListener('abort', end)
    if (chosen.error) return undefined
    return finish(chosen.data, begun.data.options.rpId, options)
  }

  return {
    login: (options) =>
      whileStarted(async () => {
        const begun = await usher.beginPasskeyLogin(options)
        if (begun.error) return begun
        const chosen = await getPasskey(begun.data.options, { signal: options?.signal })
        return chosen.error ? chosen : finish(chosen.data, begun.data.options.rpId, options)
      }),
    async autofill(options) {
      const mayWait = startList()
      if (!(await browser.PublicKeyCredential?.isConditionalMediationAvailable?.())) return undefined
      for (;;) {
        let isRenewed = false
        const result = await offer(mayWait, () => (isRenewed = true), options)
        if (result || !isRenewed) return result
      }
    },
    add: ({ name, ...confirmation } = {}, options) =>
      whileStarted(async () => {
        const enrolled = await usher.enrolPasskey(confirmation, options)
        if (enrolled.error) return enrolled
        const created = await createPasskey(enrolled.data.options)
        return created.error ? created : usher.addPasskey({ passkey: created.data, name }, options)
      }),
    prove: (options) =>
      whileStarted(async () => {
        const { data: passkey } = await getPasskey(options)
        return passkey && { passkey }
      }),
    signal: (options) => signalPasskeys(usher, options),
  }
}

async function signalPasskeys(usher: PasskeyClient, options: CallOptions | undefined) {
  const { data } = await usher.listFactors(options)
  const users = new Map<string, { rpId: string; userId: string; allAcceptedCredentialIds: string[] }>()
  for (const { passkey } of data?.factors ?? []) {
    if (!passkey) continue
    const { domain: rpId, userHandle: userId, credentialId } = passkey
    const user = users.get(rpId + userId) ?? { rpId, userId, allAcceptedCredentialIds: [] }
    user.allAcceptedCredentialIds.push(credentialId)
    users.set(rpId + userId, user)
  }
  for (const user of users.values())
    await browser.PublicKeyCredential?.signalAllAcceptedCredentials?.(user).catch(ignore)
}

/** Such as for a page of another domain. The passkey is only offered once more. */
const ignore = () => undefined
