import { vi } from 'vitest'
import type { Authenticator, Lie } from './authenticator.js'

const text = (bytes: ArrayBuffer) => Buffer.from(bytes).toString('base64url')
const bytes = (given: string | null | undefined) =>
  given ? Uint8Array.from(Buffer.from(given, 'base64url')).buffer : null

/** What a page gives to the browser. */
export type Given = { publicKey: Record<string, unknown>; mediation?: string; signal: AbortSignal }
const withTexts = (value: unknown): unknown =>
  value instanceof Uint8Array
    ? text(value.buffer as ArrayBuffer)
    : Array.isArray(value)
      ? value.map(withTexts)
      : value && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withTexts(each)]))
        : value

const credential = ({
  id,
  response,
  clientExtensionResults = {},
}: ReturnType<Authenticator['get']> & { clientExtensionResults?: object }) => ({
  id,
  response: {
    ...Object.fromEntries(
      Object.entries(response).map(([name, value]) => [
        name,
        Array.isArray(value) ? value : bytes(value as string),
      ]),
    ),
    getTransports: () => ['internal'],
  },
  getClientExtensionResults: () => clientExtensionResults,
})

/** Replaces what a browser has for passkeys. A ceremony in a list waits until the test chooses. */
export function stubBrowser(
  authenticator: Authenticator,
  { lie, error }: { lie?: Lie; error?: string } = {},
) {
  const lists: { choose: () => void; signal: AbortSignal }[] = []
  const signals = { unknown: vi.fn(async () => {}), accepted: vi.fn(async () => {}) }
  const fail = (name: string) => Promise.reject(Object.assign(new Error(name), { name }))
  const get = ({ publicKey, mediation, signal }: Given) => {
    if (error) return fail(error)
    const done = () => credential(authenticator.get(withTexts(publicKey) as never, lie))
    if (!mediation) return Promise.resolve(done())
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () =>
        reject(Object.assign(new Error('aborted'), { name: 'AbortError' })),
      )
      lists.push({ choose: () => resolve(done()), signal })
    })
  }
  const create = ({ publicKey }: Given) =>
    error
      ? fail(error)
      : Promise.resolve(credential(authenticator.create(withTexts(publicKey) as never) as never))
  vi.stubGlobal('navigator', { credentials: { get, create } })
  vi.stubGlobal('PublicKeyCredential', {
    isConditionalMediationAvailable: async () => true,
    signalUnknownCredential: signals.unknown,
    signalAllAcceptedCredentials: signals.accepted,
  })
  return { lists, signals }
}
