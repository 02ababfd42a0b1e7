import { z } from 'zod'

/** Slug of a workspace or name of a database: fit for a path as it is. */
export const PathName = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$/)

/** Where a database is: in the path of every request to it. */
export const DatabasePath = z.object({
  workspaceSlug: PathName.meta({ description: 'Slug of the workspace.', examples: ['demo'] }),
  databaseName: PathName.meta({ description: 'Name of the database.', examples: ['app'] }),
})
export type DatabasePath = z.infer<typeof DatabasePath>
