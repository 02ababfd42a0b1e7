import { type Command, InvalidArgumentError, Option } from 'commander'
import { createDatabase, listDatabases } from '../domain/databases.js'
import { PasswordPolicy } from '../store/generated/enums.js'
import { print, withStore } from './with-store.js'

export function addDatabaseCommands(program: Command) {
  const database = program.command('database').description('databases, which hold users')
  database
    .command('create')
    .argument('<workspace/name>', 'where it will be in paths', databasePath)
    .description('make a database in a workspace')
    .addOption(
      new Option('--password-policy <policy>', 'which passwords it takes at sign-up')
        .choices(Object.values(PasswordPolicy))
        .default('standard'),
    )
    .option('--json', 'print JSON')
    .action((path: ReturnType<typeof databasePath>, options) =>
      withStore(async (store, config) => {
        const settings = { passwordPolicy: options.passwordPolicy }
        const { id, passwordPolicy } = await createDatabase(store, path, settings, new Date())
        const url = `${config.baseUrl}/workspaces/${path.workspaceSlug}/databases/${path.databaseName}`
        print(options, { id, ...path, passwordPolicy, url }, `Made database ${url}`)
      }),
    )
  database
    .command('list')
    .description('list all databases')
    .option('--json', 'print JSON')
    .action((options) =>
      withStore(async (store) => {
        const databases = (await listDatabases(store)).map((row) => ({
          id: row.id,
          workspaceSlug: row.workspace.slug,
          databaseName: row.name,
          passwordPolicy: row.passwordPolicy,
          createdAt: row.createdAt.toISOString(),
        }))
        const lines = databases.map((row) => `${row.workspaceSlug}/${row.databaseName}  ${row.id}`)
        print(options, databases, lines.join('\n') || 'There is no database yet.')
      }),
    )
}

/** @throws {InvalidArgumentError} where the text is not of the form workspace/name */
export function databasePath(text: string) {
  const [workspaceSlug, databaseName, ...rest] = text.split('/')
  if (!workspaceSlug || !databaseName || rest.length > 0) {
    throw new InvalidArgumentError('Write it as WORKSPACE/NAME.')
  }
  return { workspaceSlug, databaseName }
}
