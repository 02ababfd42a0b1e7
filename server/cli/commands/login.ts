import type { Command } from '@commander-js/extra-typings'
import { operatorContract } from '@usher/contract/operator'
import { usageError } from '../../domain/problem.js'
import type { Cli } from '../io/cli.js'
import type { Host } from '../io/host.js'
import { authorize } from '../remote/authorize.js'
import { originOf, requireConsole, sendTo } from '../remote/request.js'
import { endSession, storedOf } from '../remote/session.js'
import { readSessions, type StoredSession, withSessions } from '../remote/session-file.js'

export const configure = (login: Command, { host }: Cli) =>
  login
    .argument('<url>', 'URL of the server, such as https://usher.example.com', originOf)
    .option('--no-browser', 'for a shell on another machine: ask for the code that the browser shows')
    .option('--json', 'print the result as JSON')
    .action(async (origin, { browser, ...options }) => {
      if (!browser && !host.stdin.isTTY)
        throw usageError('--no-browser requires a terminal, on which to paste the code')
      // Not after the operator has allowed the login.
      readSessions()
      const session = await open(host, { origin, isBrowserElsewhere: !browser })
      const former = await withSessions(async (all, store) => {
        store({ ...all, [origin]: session })
        return all[origin]
      })
      // It may have ended already.
      if (former) await endSession(origin, former).catch(() => undefined)
      const { email } = session
      host.print(options, { server: origin, email }, `Logged in to ${origin} as ${email}.`)
    })

/** Opens a session. @throws {Problem} `console_missing`; `server_version`; `usage_error`; those of the login */
async function open(
  host: Host,
  { origin, isBrowserElsewhere }: { origin: string; isBrowserElsewhere: boolean },
): Promise<StoredSession> {
  const { workspace, database } = await requireConsole(origin)
  const body = await authorize(host, { origin, purpose: 'login', isBrowserElsewhere })
  const startedAt = Date.now()
  const opened = await sendTo(origin, operatorContract.console.openCommandLineSession, { body })
  const { getOperator } = operatorContract.operators
  const { email } = await sendTo(origin, getOperator, { token: opened.token.jwt })
  return { workspace, database, email, ...storedOf(opened, startedAt) }
}
