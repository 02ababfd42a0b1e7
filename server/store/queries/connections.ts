import type { Connection } from '../generated/client.js'
import type { Queries } from '../store.js'

/** Returns the connections of a database, in the order in which they were added. */
export const findConnections = (store: Queries, databaseId: string) =>
  store.query<Connection>(findStatement, [databaseId])

const findStatement = `
  SELECT database_id AS "databaseId", name, preset, issuer, client_id AS "clientId", sealed_secret AS "sealedSecret",
    options, is_enabled AS "isEnabled", created_at AS "createdAt"
  FROM usher.connection WHERE database_id = $1::uuid ORDER BY created_at, name`
