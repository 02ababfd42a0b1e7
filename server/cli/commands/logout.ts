import type { Command } from '@commander-js/extra-typings'
import { Problem, usageError } from '../../domain/problem.js'
import type { Cli } from '../io/cli.js'
import { originOf } from '../remote/request.js'
import { endSession } from '../remote/session.js'
import { withSessions } from '../remote/session-file.js'

export const configure = (logout: Command, { host }: Cli) =>
  logout
    .argument('[url]', 'URL of the server. It may be missing if you are logged in to one server', originOf)
    .option('--json', 'print the result as JSON')
    .action((url, options) =>
      withSessions(async (all, store) => {
        const origins = Object.keys(all)
        if (!url && origins.length > 1) throw usageError(`name the server: ${origins.join(' or ')}`)
        const origin = url ?? origins[0]
        const session = origin === undefined ? undefined : all[origin]
        if (origin !== undefined && session) {
          await endSession(origin, session).catch(ifUnavailable)
          const { [origin]: _, ...others } = all
          store(others)
        }
        const text = session ? `Logged out of ${origin}.` : 'Not logged in.'
        host.print(options, { server: origin ?? null }, text)
      }),
    )

/** Throws if the session may continue, so that the command can be repeated. A server without the operators has no session. */
function ifUnavailable(error: unknown) {
  if (!(error instanceof Problem) || ['server_unreachable', 'unavailable'].includes(error.code)) throw error
}
