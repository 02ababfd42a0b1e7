import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.js'
import { PartialFailureError, UsageError } from '../domain/admin/operator-error.js'
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
 * Runs the command line.
 *
 * @param args as typed after `usher`
 * @returns the exit code: 0: done or help shown; 1: could not be done; 2: asked for wrongly
 */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Command('usher')
    .description(
      'User management for products with many tenants. Settings come from the environment: see .env.example.',
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

/** Commander has printed its own errors. */
function exitCodeOf(error: unknown) {
  if (error instanceof PartialFailureError) return 1
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  process.stderr.write(`usher: ${lineFor(error)}\n`)
  return error instanceof ConfigError || error instanceof UsageError ? 2 : 1
}

function lineFor(error: unknown) {
  if (isStoreUnavailable(error) && !isTlsFailure(error))
    return 'the store cannot be reached; is DATABASE_URL right and Postgres running?'
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
    return `another process listens there already (${error.message}); choose another PORT`
  return reasonOf(error)
}
