import type { Command } from '@commander-js/extra-typings'
import { keyActivationSeconds } from '@usher/contract'
import { ConfigError } from '../../config.js'
import { runChange } from '../../domain/change.js'
import { keyState, listKeys, retireKey, rotateKeys } from '../../domain/management/keys/key-rotation.js'
import { rewrapKeys } from '../../domain/management/keys/rewrap-keys.js'
import { Problem } from '../../domain/problem.js'
import { audit } from '../../telemetry/audit.js'
import { databasePath, wholeNumber } from '../io/arguments.js'
import type { Host } from '../io/host.js'
import { table } from '../io/listing.js'
import { createProgressLine } from '../io/output.js'
import { withDatabase, withStore } from '../io/with-store.js'

export function configure(keys: Command, host: Host) {
  addListCommand(keys, host)
  addRotateCommand(keys, host)
  addRetireCommand(keys, host)
  addRewrapCommand(keys, host)
}

function addListCommand(keys: Command, host: Host) {
  keys
    .command('list')
    .argument('<workspace/name>', 'database', databasePath)
    .description('list the signing keys of a database, newest first')
    .option('--json', 'print the result as JSON')
    .action((path, options) =>
      withStore(host, async (store) => {
        const rows = await listKeys(store, path)
        const now = new Date()
        const shown = rows.map((row) => ({
          kid: row.kid,
          algorithm: row.algorithm,
          state: keyState(row, rows, now),
          activatesAt: row.activatesAt,
          retiresAt: row.retiresAt,
        }))
        const text = table(shown, {
          KID: ({ kid }) => kid,
          ALGORITHM: ({ algorithm }) => algorithm,
          STATE: ({ state }) => state,
          'SIGNS FROM': ({ activatesAt }) => activatesAt.toISOString(),
          'ACCEPTED UNTIL': ({ retiresAt }) => retiresAt?.toISOString() ?? '',
        })
        host.print(options, shown, text)
      }),
    )
}

function addRotateCommand(keys: Command, host: Host) {
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
    .action((path, options) =>
      withDatabase(host, path, async ({ context, request }) => {
        const wanted = { masterKeys: context.store, activateInSeconds: options.activateIn }
        const { databaseId, kid, algorithm, activatesAt } = await runChange(context, request, (change) =>
          rotateKeys(change, wanted),
        )
        const text = `Published key ${kid} (${algorithm}). It signs from ${activatesAt.toISOString()}.`
        host.print(options, { databaseId, kid, algorithm, activatesAt }, text)
      }),
    )
}

function addRetireCommand(keys: Command, host: Host) {
  keys
    .command('retire')
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<kid>', 'id of the key, as printed by keys list')
    .description('reject all tokens of a key, for example after a leak')
    .allowUnknownOption() // a kid may begin with -
    .option('--json', 'print the result as JSON')
    .action((path, kid, options) =>
      withDatabase(host, path, async ({ context, request }) => {
        const wanted = { masterKeys: context.store, kid }
        const { databaseId, retiresAt } = await runChange(context, request, (change) =>
          retireKey(change, wanted),
        )
        const text = `Retired key ${kid}. Servers reject its tokens within 5 s, clients that cache the published keys within 300 s.`
        host.print(options, { databaseId, kid, retiresAt }, text)
      }),
    )
}

function addRewrapCommand(keys: Command, host: Host) {
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
    .action((options) =>
      withStore(host, async (store, { newMasterKey }, log) => {
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
      }),
    )
}
