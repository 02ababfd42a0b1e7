import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { textUpTo } from '../../domain/limited-text.js'
import { Problem, usageError } from '../../domain/problem.js'
import type { Host } from './host.js'

const hiddenEcho = new Writable({ write: (_chunk, _encoding, done) => done() })

/**
 * Prompts on stderr, because stdout is for results.
 *
 * @param output.echo where typed text appears
 * @param output.signal ends the wait
 * @throws {Problem} on an interrupt or at the end of input
 */
async function prompt(
  host: Host,
  questions: readonly string[],
  { echo = host.stderr, signal }: { echo?: NodeJS.WritableStream; signal?: AbortSignal | undefined } = {},
): Promise<string[]> {
  const terminal = createInterface({ input: host.stdin, output: echo, terminal: true })
  const cancelled = new Promise<never>((_resolve, reject) => {
    terminal.once('close', () =>
      reject(new Problem('cancelled', { detail: 'Cancelled. Nothing was changed.' })),
    )
  })
  const answers: string[] = []
  try {
    for (const question of questions) {
      if (echo === hiddenEcho) host.stderr.write(question)
      const answer = Promise.race([terminal.question(question, { ...(signal && { signal }) }), cancelled])
      answers.push(await answer.finally(() => echo === hiddenEcho && host.stderr.write('\n')))
    }
    return answers
  } finally {
    terminal.close()
  }
}

/**
 * Reads a new password: typed twice without echo on a terminal, otherwise all of stdin without its last line
 * break. It is never an argument, because other users can see the arguments of a process.
 *
 * @throws {Problem} if the two entries differ
 */
export async function readNewPassword(host: Host): Promise<string> {
  if (!host.stdin.isTTY) return readSecret(host, '')
  const [password = '', repeated] = await prompt(host, ['New password: ', 'Repeat password: '], {
    echo: hiddenEcho,
  })
  if (repeated !== password)
    throw new Problem('cancelled', { detail: 'The passwords do not match. Nothing was changed.' })
  return password
}

/** More than any secret. A client on another machine could fill the memory of the server. */
const maxSecretBytes = 2_097_152

/** Reads a secret: typed without echo on a terminal, otherwise all of stdin without its last line break. */
export async function readSecret(host: Host, question: string): Promise<string> {
  const tooLong = () => usageError(`more than ${maxSecretBytes} bytes`)
  if (!host.stdin.isTTY) return (await textUpTo(maxSecretBytes, host.stdin, tooLong)).replace(/\r?\n$/, '')
  const [secret = ''] = await prompt(host, [question], { echo: hiddenEcho })
  return secret
}

/**
 * Reads a line that is typed on a terminal.
 *
 * @param signal ends the wait
 * @throws {Problem} `cancelled`
 */
export async function readLine(host: Host, question: string, signal?: AbortSignal): Promise<string> {
  const [line = ''] = await prompt(host, [question], { signal })
  return line
}

/** Throws if stdin is not a terminal, because no one could confirm. @throws {Problem} */
export function requireTerminal(host: Host, action: string) {
  if (!host.stdin.isTTY) throw usageError(`${action} without a terminal requires --yes`)
}

/**
 * Asks the operator to type the name of what will be deleted.
 *
 * @throws {Problem} if another name is typed
 */
export async function confirmDeletion(host: Host, name: string, what: string) {
  const [typed] = await prompt(host, [`Type ${name} to delete ${what}: `])
  if (typed !== name)
    throw new Problem('cancelled', { detail: 'The name does not match. Nothing was changed.' })
}
