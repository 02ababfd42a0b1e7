import type { Command } from 'commander'
import { addUserExportCommand } from './user-export.js'
import { addUserImportCommand } from './user-import.js'

export function addUserCommands(program: Command) {
  const user = program.command('user').description('users of a database')
  addUserImportCommand(user)
  addUserExportCommand(user)
}
