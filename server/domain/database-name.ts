import type { DatabasePath } from '@usher/contract'

/** Returns the name of a database as people write it, which is also its key in caches. */
export const nameOfDatabase = ({ workspaceSlug, databaseName }: DatabasePath) =>
  `${workspaceSlug}/${databaseName}`
