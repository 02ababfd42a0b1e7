import type { UsherError } from './errors.js'
import type { Result } from './result.js'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from './schemas.js'
import { failed } from './started-logins.js'

/**
 * Why the browser has used no passkey. No request was sent, and the status is 400. `passkey_cancelled`: the user has cancelled, or
 * there was no passkey. `passkey_exists`: the authenticator has one of the user. `passkeys_unsupported`: the browser has no
 * passkeys, or the page is not of the domain.
 */
export type CeremonyErrorCode = 'passkey_cancelled' | 'passkey_exists' | 'passkeys_unsupported'

/** What the browser has returned (WebAuthn Level 3, section 5.1). */
interface Credential {
  id: string
  response: Record<
    'clientDataJSON' | 'authenticatorData' | 'signature' | 'userHandle' | 'attestationObject',
    ArrayBuffer | null
  > & { getTransports?(): string[] }
  getClientExtensionResults(): { credProps?: { rk?: boolean } }
}

type Ceremony = (options: {
  publicKey: object
  mediation?: 'conditional'
  signal: AbortSignal
}) => Promise<unknown>

/** The parts of a browser that passkeys use. */
interface Browser {
  navigator?: { credentials?: { get: Ceremony; create: Ceremony } }
  PublicKeyCredential?: {
    isConditionalMediationAvailable?(): Promise<boolean>
    signalUnknownCredential?(options: object): Promise<void>
    signalAllAcceptedCredentials?(options: object): Promise<void>
  }
}

export const browser = globalThis as unknown as Browser

const bytesOf = (text: string) =>
  Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0))

// Not the browser's `toJSON`, which the objects of some password managers do not have.
const textOf = (bytes: ArrayBuffer | null) => {
  let text = ''
  for (const byte of new Uint8Array(bytes ?? [])) text += String.fromCharCode(byte)
  return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=/g, '')
}

const descriptors = (list: PublicKeyCredentialRequestOptionsJSON['allowCredentials']) =>
  list.map((each) => ({ ...each, id: bytesOf(each.id) }))

/** The ceremony that waits. Browsers run one at a time. */
let running: AbortController | undefined

/** Ends the ceremony that waits. */
const abortCeremony = () => running?.abort(undefined)

/** Counts the clicks and lists that have started a ceremony. */
let started = 0
/** The ceremonies of clicks that have not ended. */
let unended = 0

/** Does what the user has started by a click. Ends the list that waits. No list ends this. */
export async function whileStarted<Value>(work: () => Promise<Value>): Promise<Value> {
  abortCeremony()
  started++
  unended++
  try {
    return await work()
  } finally {
    unended--
  }
}

/** Returns a function that tells whether a list may wait: nothing was started since, and no ceremony of a click goes on. */
export function startList() {
  const own = ++started
  return () => unended === 0 && started === own
}

/** Runs a ceremony, after the one that waits was ended. Never throws. */
async function run(
  method: 'get' | 'create',
  options: { publicKey: object; mediation?: 'conditional' },
  signal?: AbortSignal,
): Promise<Result<Credential, CeremonyErrorCode>> {
  // A call that was ended before it could begin must not end another ceremony.
  if (signal?.aborted) return cancelled()
  abortCeremony()
  const { credentials } = browser.navigator ?? {}
  if (!credentials || !browser.PublicKeyCredential) return unsupported()
  const current = new AbortController()
  running = current
  const abort = () => current.abort(signal?.reason)
  signal?.addEventListener('abort', abort)
  try {
    const credential = await credentials[method]({ ...options, signal: current.signal })
    return credential ? { data: credential as Credential, error: undefined } : cancelled()
  } catch (error) {
    const { name } = error as Error
    if (name === 'InvalidStateError')
      return failed('passkey_exists', 'The device has a passkey', 'This device has a passkey of the account.')
    return name === 'NotAllowedError' || name === 'AbortError' || name === 'TimeoutError'
      ? cancelled()
      : unsupported(error)
  } finally {
    signal?.removeEventListener('abort', abort)
    if (running === current) running = undefined
  }
}

const cancelled = () =>
  failed('passkey_cancelled', 'No passkey was used', 'The passkey was cancelled, or this device has none.')

const unsupported = (cause?: unknown): { data: undefined; error: UsherError<'passkeys_unsupported'> } =>
  failed(
    'passkeys_unsupported',
    'No passkeys here',
    cause instanceof Error ? cause.message : 'This browser or page cannot use passkeys.',
  )

/** Lets the user choose a passkey, and signs with it. */
export async function getPasskey(
  options: PublicKeyCredentialRequestOptionsJSON,
  { signal, mediation }: { signal?: AbortSignal | undefined; mediation?: 'conditional' } = {},
): Promise<Result<AuthenticationResponseJSON, CeremonyErrorCode>> {
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    allowCredentials: descriptors(options.allowCredentials),
  }
  const { data, error } = await run('get', { publicKey, ...(mediation && { mediation }) }, signal)
  if (!data) return { data, error }
  const { clientDataJSON, authenticatorData, signature, userHandle } = data.response
  const response = {
    clientDataJSON: textOf(clientDataJSON),
    authenticatorData: textOf(authenticatorData),
    signature: textOf(signature),
    ...(userHandle && { userHandle: textOf(userHandle) }),
  }
  return { data: { id: data.id, response }, error }
}

/** Creates a passkey. */
export async function createPasskey(
  options: PublicKeyCredentialCreationOptionsJSON,
): Promise<Result<RegistrationResponseJSON, CeremonyErrorCode>> {
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    user: { ...options.user, id: bytesOf(options.user.id) },
    excludeCredentials: descriptors(options.excludeCredentials),
  }
  const { data, error } = await run('create', { publicKey })
  if (!data) return { data, error }
  const { clientDataJSON, attestationObject } = data.response
  const response = {
    clientDataJSON: textOf(clientDataJSON),
    attestationObject: textOf(attestationObject),
    transports: data.response.getTransports?.() ?? [],
  }
  const { credProps } = data.getClientExtensionResults()
  return {
    data: { id: data.id, response, ...(credProps && { clientExtensionResults: { credProps } }) },
    error,
  }
}
