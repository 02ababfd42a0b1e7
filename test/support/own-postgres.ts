import { inject } from 'vitest'
import { startPostgres } from './postgres-server.js'

/** A Postgres server that only one test uses. */
export const startOwnPostgres = (settings?: Record<string, string>, parent?: string) =>
  startPostgres(settings, parent, inject('postgresCluster'))
