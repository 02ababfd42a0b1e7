import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.js'
import { PartialFailureError, UsageError } from '../domain/admin/operator-error.js'
import { BlocklistError } from '../domain/passwords/blocklist.js'
import { isStoreUnavailable, isTlsFailure, reasonOf } from '../store/errors.js'
import { version } from '../version.js'
import { addDatabaseCommands } from './commands/database.js'
import { addKeysCommands } from './commands/keys.js'
import { addMigrateCommand } from './commands/migrate.js'
import { addOpenApiCommand } from './commands/openapi.js'
import { addServeCommand } from './commands/serve.js'
import { addStoreCommands } from './commands/store.js'
import { addTenantCommands } from './commands/tenant.js'
import { addUserCommands } from './commands/user.js'
import { addWorkspaceCommands } from './commands/workspace.js'

/**
 * Runs a command.
 *
 * @param args what was typed after `usher`
 * @returns the exit code: 0 for success or help, 1 for a failure, 2 for a usage error
 */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Command('usher')
    .description(
      'User management for multi-tenant products. Settings are environment variables: see .env.example.',
    )
    .version(version)
    .exitOverride()
  addServeCommand(program)
  addMigrateCommand(program)
  addWorkspaceCommands(program)
  addDatabaseCommands(program)
  addUserCommands(program)
  addTenantCommands(program)
  addKeysCommands(program)
  addStoreCommands(program)
  addOpenApiCommand(program)
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    return exitCodeOf(error)
  }
}

function exitCodeOf(error: unknown) {
  // Both were reported where they occurred.
  if (error instanceof PartialFailureError) return 1
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  process.stderr.write(`usher: ${messageOf(error)}\n`)
  return [ConfigError, BlocklistError, UsageError].some((type) => error instanceof type) ? 2 : 1
}

const messageOf = (error: unknown) =>
  isStoreUnavailable(error) && !isTlsFailure(error)
    ? 'cannot reach the store. Check DATABASE_URL, and that Postgres is running'
    : reasonOf(error)
