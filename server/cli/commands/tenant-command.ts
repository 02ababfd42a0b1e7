import type { Command } from '@commander-js/extra-typings'
import { databasePath, uuid } from '../io/arguments.js'

/** Adds a command whose arguments begin with a tenant of a database. */
export const tenantCommand = (tenant: Command, name: string) =>
  tenant
    .command(name)
    .argument('<workspace/name>', 'database', databasePath)
    .argument('<tenant>', 'id of the tenant', uuid)
