import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { OperatorError, UsageError } from '../../domain/admin/operator-error.js'

const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })

/**
 * Asks a person; on stderr, for stdout has results alone.
 *
 * @param questions each shown when the one before is answered
 * @param echo where what is typed is shown
 * @throws {OperatorError} at an interrupt or the end of input
 */
async function ask(questions: readonly string[], echo: NodeJS.WritableStream): Promise<string[]> {
  const lines = createInterface({ input: process.stdin, output: echo, terminal: true })
  const ended = new Promise<never>((_resolve, reject) => {
    lines.once('close', () => reject(new OperatorError('nothing was changed')))
  })
  const answers: string[] = []
  try {
    for (const question of questions) {
      if (echo === unseen) process.stderr.write(question)
      const answer = Promise.race([lines.question(question), ended])
      answers.push(await answer.finally(() => echo === unseen && process.stderr.write('\n')))
    }
    return answers
  } finally {
    lines.close()
  }
}

/**
 * A new password: asked for twice on a terminal, without showing it, or all of stdin but the end of its last
 * line. Never an argument, which others could see in the list of processes.
 *
 * @throws {OperatorError} where the two differ
 */
export async function readNewPassword(): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, '')
  const [password = '', again] = await ask(['New password: ', 'Once more: '], unseen)
  if (again !== password) throw new OperatorError('the two passwords differ; nothing was changed')
  return password
}

/**
 * Has a person type the name of what is to be deleted.
 *
 * @throws {OperatorError} where another name is typed
 * @throws {UsageError} where there is nobody to ask
 */
export async function confirmByName(name: string) {
  if (!process.stdin.isTTY) throw new UsageError(`without a terminal to ask on, deleting ${name} takes --yes`)
  const [typed] = await ask([`Type ${name} to delete it with all that is in it: `], process.stderr)
  if (typed !== name) throw new OperatorError('that is another name; nothing was changed')
}
