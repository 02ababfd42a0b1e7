import type { DatabasePath } from '@usher/contract'
import type { Command } from 'commander'
import { ConfigError } from '../../config.js'
import { keyState, listKeys, retireKey, rotateKeys } from '../../domain/admin/key-rotation.js'
import { rewrapKeys } from '../../domain/admin/master-key.js'
import { audit } from '../../telemetry/audit.js'
import { databasePath, wholeNumber } from '../io/arguments.js'
import { print, withStore } from '../io/with-store.js'

export function addKeysCommands(program: Command) {
  const keys = program.command('keys').description('signing keys of databases, and the master key')
  keys
    .command('list')
    .argument('<workspace/name>', 'database', databasePath)
    .description('list the keys of a database, the newest first')
    .option('--json', 'print JSON')
    .action((path: DatabasePath, options) =>
      withStore(async (store) => {
        const rows = await listKeys(store, path)
        const now = new Date()
        const shown = rows.map((row) => ({
          kid: row.kid,
          algorithm: row.algorithm,
          state: keyState(row, rows, now),
          activatesAt: row.activatesAt,
          retiresAt: row.retiresAt,
        }))
        const lines = shown.map(
          (key) =>
            `${key.kid}  ${key.algorithm}  ${key.state}  from ${key.activatesAt.toISOString()}` +
            (key.retiresAt ? ` to ${key.retiresAt.toISOString()}` : ''),
        )
        print(options, shown, lines.join('\n'))
      }),
    )
  keys
    .command('rotate')
    .argument('<workspace/name>', 'database', databasePath)
    .description('publish the next key of a database, which signs some time later')
    .option(
      '--activate-in <seconds>',
      'when it signs; others may keep the published keys for 300 s, servers for 5 s',
      wholeNumber(0, 604_800),
      600,
    )
    .option('--json', 'print JSON')
    .action((path: DatabasePath, options) =>
      withStore(async (store, _config, log) => {
        const key = await rotateKeys(store, path, options.activateIn, new Date())
        const { databaseId, kid, algorithm, activatesAt } = key
        audit(log, 'keys.rotated', { databaseId, kid })
        const line = `Published key ${kid} (${algorithm}); it signs from ${activatesAt.toISOString()}.`
        print(options, { databaseId, kid, algorithm, activatesAt }, line)
      }),
    )
  keys
    .command('retire')
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<kid>', 'key, as the list shows it')
    .description('refuse the tokens of a key, for one that got into wrong hands')
    .allowUnknownOption() // a kid may begin with -
    .option('--json', 'print JSON')
    .action((path: DatabasePath, kid: string, options) =>
      withStore(async (store, _config, log) => {
        const { databaseId, retiresAt } = await retireKey(store, path, kid, new Date())
        audit(log, 'keys.retired', { databaseId, kid })
        const line = `Retired key ${kid}: servers refuse its tokens within 5 s, others who keep the published keys within 300 s.`
        print(options, { databaseId, kid, retiresAt }, line)
      }),
    )
  keys
    .command('rewrap')
    .description('seal all signing keys with the master key in USHER_NEW_MASTER_KEY; stop the servers first')
    .option('--json', 'print JSON')
    .action((options) =>
      withStore(async (store, { newMasterKey }, log) => {
        if (!newMasterKey) {
          throw new ConfigError([
            'USHER_NEW_MASTER_KEY is required: 32 bytes as base64 (openssl rand -base64 32)',
          ])
        }
        const count = await rewrapKeys(store, newMasterKey)
        audit(log, 'keys.rewrapped', {})
        const next = store.keyFile
          ? 'The file master.key has the new master key.'
          : 'Set USHER_MASTER_KEY to the new master key before anything else.'
        print(options, { rewrapped: count }, `Keys sealed anew: ${count}. ${next}`)
      }),
    )
}
