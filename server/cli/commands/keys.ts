import type { Command } from '@commander-js/extra-typings'
import { keyActivationSeconds } from '@usher/contract'
import { ConfigError } from '../../config.js'
import { Problem } from '../../domain/problem.js'
import { databasePath, wholeNumber } from '../io/arguments.js'
import type { Cli } from '../io/cli.js'
import { table } from '../io/listing.js'
import { createProgressLine } from '../io/output.js'

export function configure(keys: Command, cli: Cli) {
  addListCommand(keys, cli)
  addRotateCommand(keys, cli)
  addRetireCommand(keys, cli)
  addRewrapCommand(keys, cli)
}

function addListCommand(keys: Command, { host, call }: Cli) {
  keys
    .command('list')
    .argument('<workspace/name>', 'database', databasePath)
    .description('list the signing keys of a database, newest first')
    .option('--json', 'print the result as JSON')
    .action(async (params, options) => {
      const body = await call('listKeys', { params, query: {} })
      const text = table(body.keys, {
        KID: ({ kid }) => kid,
        ALGORITHM: ({ algorithm }) => algorithm,
        STATE: ({ state }) => state,
        'SIGNS FROM': ({ activatesAt }) => activatesAt,
        'ACCEPTED UNTIL': ({ retiresAt }) => retiresAt ?? '',
      })
      host.print(options, body, text)
    })
}

function addRotateCommand(keys: Command, { host, call }: Cli) {
  keys
    .command('rotate')
    .argument('<workspace/name>', 'database', databasePath)
    .description('publish the next signing key of a database; it signs tokens later')
    .option(
      '--activate-in <seconds>',
      'delay before the key signs tokens; clients cache the published keys for 300 s, servers for 5 s',
      wholeNumber(0, 604_800),
      keyActivationSeconds,
    )
    .option('--json', 'print the result as JSON')
    .action(async (params, { activateIn: activateInSeconds, ...options }) => {
      const key = await call('rotateKeys', { params, body: { activateInSeconds } })
      const text = `Published key ${key.kid} (${key.algorithm}). It signs from ${key.activatesAt}.`
      host.print(options, key, text)
    })
}

function addRetireCommand(keys: Command, { host, call }: Cli) {
  keys
    .command('retire')
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<kid>', 'id of the key, as printed by keys list')
    .description('reject all tokens of a key, for example after a leak')
    .allowUnknownOption() // a kid may begin with -
    .option('--json', 'print the result as JSON')
    .action(async (path, kid, options) => {
      const key = await call('retireKey', { params: { ...path, kid } })
      const text = `Retired key ${kid}. Servers reject its tokens within 5 s, clients that cache the published keys within 300 s.`
      host.print(options, key, text)
    })
}

function addRewrapCommand(keys: Command, { host }: Cli) {
  keys
    .command('rewrap')
    .description('re-encrypt all signing keys and secrets with USHER_NEW_MASTER_KEY; to resume, run it again')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Servers can keep running if all of them have both USHER_MASTER_KEY and USHER_NEW_MASTER_KEY. In the repository of
Usher, docs/operation.md has the steps.`,
    )
    .action(async (options) => {
      const { withStore } = await import('../io/with-store.js')
      const { rewrapKeys } = await import('../../domain/management/keys/rewrap-keys.js')
      const { audit } = await import('../../telemetry/audit.js')
      await withStore(host, async (store, { newMasterKey }, log) => {
        if (!newMasterKey) {
          throw new ConfigError([
            'USHER_NEW_MASTER_KEY is required: 32 bytes as base64 (openssl rand -base64 32)',
          ])
        }
        const progress = createProgressLine(host.stderr)
        const { rewrapped, unreadable } = await rewrapKeys(store, newMasterKey, (done, total) =>
          progress.show(`${done} of ${total} databases`),
        ).finally(progress.clear)
        audit(log, 'keys.rewrapped', {})
        if (unreadable.length > 0) {
          throw new Problem('keys_unreadable', {
            detail: `Neither master key can decrypt ${unreadable[0]}, and ${unreadable.length - 1} more. All others are re-encrypted.`,
          })
        }
        const nextStep = store.keyFile
          ? 'The file master.key contains the new master key.'
          : 'Set USHER_MASTER_KEY to the new master key everywhere, and remove USHER_NEW_MASTER_KEY.'
        host.print(options, { rewrapped }, `Re-encrypted keys: ${rewrapped}. ${nextStep}`)
      })
    })
}
