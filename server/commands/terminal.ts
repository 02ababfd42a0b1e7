import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { MisuseError, OperatorError } from '../domain/operator-error.js'

const nothing = new Writable({ write: (_chunk, _encoding, done) => done() })

/** Asks a person; on stderr, for stdout has results alone. @throws {OperatorError} at the end of input */
function ask(question: string, echo: NodeJS.WritableStream): Promise<string> {
  process.stderr.write(question)
  const lines = createInterface({ input: process.stdin, output: echo, terminal: true })
  return new Promise<string>((resolve, reject) => {
    lines.once('close', () => reject(new OperatorError('nothing was changed')))
    lines.question('').then(resolve, reject)
  }).finally(() => lines.close())
}

/**
 * A new password: asked for twice on a terminal, without showing it, or all of stdin but the end of its last
 * line. Never an argument, which others could see in the list of processes.
 *
 * @throws {OperatorError} where the two differ
 */
export async function readNewPassword(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, '')
  const password = await ask('New password: ', nothing)
  const again = await ask('\nOnce more: ', nothing)
  process.stderr.write('\n')
  if (again !== password) throw new OperatorError('the two passwords differ; nothing was changed')
  return password
}

/**
 * Has a person type the name of what is to be deleted.
 *
 * @throws {OperatorError} where another name is typed
 * @throws {MisuseError} where there is nobody to ask
 */
export async function confirmByName(name: string) {
  if (!process.stdin.isTTY)
    throw new MisuseError(`without a terminal to ask on, deleting ${name} takes --yes`)
  const typed = await ask(`Type ${name} to delete it with all that is in it: `, process.stderr)
  if (typed !== name) throw new OperatorError('that is another name; nothing was changed')
}
