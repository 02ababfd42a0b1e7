import { z } from 'zod'
import { failsWith } from './field-errors.js'
import { component, field } from './registry.js'

/** Slug of a workspace or name of a database. Needs no encoding in a path. */
export const PathName = component(
  { id: 'PathName', description: 'Slug of a workspace or name of a database.', maxLength: 63 },
  z
    .string()
    .regex(
      /^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$/,
      failsWith('invalid_type', 'must be 1 to 63 ASCII letters, digits, - or _, and must not start with -'),
    ),
)

const pathParameter = (description: string, example: string) =>
  field(description, PathName.clone(undefined, { parent: true }), { examples: [example] })

/** Path of a database, below which all of its operations are. */
export const databasePath = '/workspaces/:workspaceSlug/databases/:databaseName'

/** Path of the users of a database. */
export const usersPath = `${databasePath}/users`

/** Path parameters that identify a database. */
export const DatabasePath = z.object({
  workspaceSlug: pathParameter('Slug of the workspace.', 'demo'),
  databaseName: pathParameter('Name of the database.', 'app'),
})
export type DatabasePath = z.infer<typeof DatabasePath>
