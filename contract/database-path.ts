import { z } from 'zod'
import { registry } from './registry.js'

/** Slug of a workspace or name of a database. Needs no encoding in a path. */
export const PathName = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$/)
  .register(registry, {
    id: 'PathName',
    description: 'Slug of a workspace or name of a database.',
    maxLength: 63,
  })

/** Path parameters that identify a database. */
export const DatabasePath = z.object({
  workspaceSlug: PathName.clone(undefined, { parent: true }).register(registry, {
    description: 'Slug of the workspace.',
    examples: ['demo'],
  }),
  databaseName: PathName.clone(undefined, { parent: true }).register(registry, {
    description: 'Name of the database.',
    examples: ['app'],
  }),
})
export type DatabasePath = z.infer<typeof DatabasePath>
