import type { Command } from '@commander-js/extra-typings'
import { databasePath } from '../io/arguments.js'
import type { Cli } from '../io/cli.js'

export function configure(hook: Command, { host, call }: Cli) {
  hook
    .command('test')
    .argument('<workspace/name>', 'database', databasePath)
    .description('ask the sign-up hook of a database about a made-up person; nobody signs up')
    .option('--json', 'print the result as JSON')
    .action(async (params, options) => {
      const answer = await call('testSignUpHook', { params })
      const { allow, reason, error, milliseconds } = answer
      const text =
        allow === null
          ? `The hook has failed: ${error}`
          : `The hook ${allow ? 'allows' : 'refuses'} the sign-up`
      host.print(options, answer, `${text}${reason ? `: ${reason}` : ''} (${milliseconds} ms)`)
    })
}
