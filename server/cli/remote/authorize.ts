import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { challengeOf } from '../../domain/keys/signed-text.js'
import { Problem } from '../../domain/problem.js'
import type { Host } from '../io/host.js'
import { readLine } from '../io/terminal.js'
import { openBrowser } from './open-browser.js'
import { listenForCode } from './returned-code.js'

/** How long a command waits for the operator. */
const limitMinutes = 5

/** What to ask the operator for. */
interface Wanted {
  origin: string
  purpose: 'login' | 'confirmation'
  /** Whether the browser is on another machine, so that it cannot return to this one. */
  isBrowserElsewhere?: boolean
}

/** The code that the operator has got in the browser, and what only this process knows. */
export interface Authorization {
  code: string
  verifier: string
}

const randomText = () => randomBytes(32).toString('base64url')

/**
 * Lets the operator allow something in the browser.
 *
 * @throws {Problem} `cancelled`
 */
export async function authorize(
  host: Host,
  { origin, purpose, isBrowserElsewhere = false }: Wanted,
): Promise<Authorization> {
  const [verifier, state] = [randomText(), randomText()]
  const listener = isBrowserElsewhere ? undefined : await listenForCode(state)
  const parameters = new URLSearchParams({
    purpose,
    challenge: challengeOf(verifier),
    state,
    name: `${host.operator}@${hostname()}`.slice(0, 100),
    ...(listener && { port: String(listener.port) }),
  })
  // A server and its proxies do not get what follows #.
  const address = `${origin}/console/authorize#${parameters}`
  host.stderr.write(`Open this address in a browser, and allow it there:\n\n${address}\n\n`)
  if (listener && host.stderr.isTTY) openBrowser(address)
  const ending = new AbortController()
  const { signal } = ending
  const late = setTimeout(limitMinutes * 60_000, undefined, { signal }).then(() => {
    throw new Problem('cancelled', { detail: `Nobody has allowed it within ${limitMinutes} minutes.` })
  })
  try {
    const ways = [listener?.code, host.stdin.isTTY ? readPasted(host, signal) : undefined, late]
    return { code: await Promise.race(ways.filter((way) => way !== undefined)), verifier }
  } finally {
    ending.abort()
    listener?.close()
  }
}

/** Reads a code that is pasted, or the address to which the browser could not return. */
async function readPasted(host: Host, signal: AbortSignal) {
  const read = () =>
    readLine(host, 'Code, if the browser shows one: ', signal).catch((error) => {
      host.stderr.write('\n')
      throw error
    })
  let text = ''
  while (!text) text = (await read()).trim()
  return (URL.canParse(text) && new URL(text).searchParams.get('code')) || text
}
