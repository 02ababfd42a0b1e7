import type { Connection } from '../generated/client.js'
import type { Queries } from '../store.js'

/** Returns the connections of a database, in the order in which they were added. */
export const findConnections = (store: Queries, databaseId: string) =>
  store.query<Connection>(findStatement, [databaseId])

const findStatement = `
  SELECT database_id AS "databaseId", name, preset, issuer, client_id AS "clientId", sealed_secret AS "sealedSecret",
    options, is_enabled AS "isEnabled", created_at AS "createdAt"
  FROM usher.connection WHERE database_id = $1::uuid ORDER BY created_at, name`

/** Adds a connection. Returns false if the database has one of that name. */
export const insertConnection = async ({ query }: Queries, connection: Connection) =>
  (await query<object>(insertStatement, valuesOf(connection))).length > 0

/** Replaces what an operator can change of a connection. */
export const updateConnection = ({ query }: Queries, { createdAt: _, ...connection }: Connection) =>
  query(updateStatement, [connection.databaseId, connection.name, ...changeableOf(connection)])

const changeableOf = ({
  clientId,
  sealedSecret,
  options,
  isEnabled,
}: Pick<Connection, 'clientId' | 'sealedSecret' | 'options' | 'isEnabled'>) => [
  clientId,
  sealedSecret,
  JSON.stringify(options),
  isEnabled,
]

const valuesOf = (connection: Connection) => [
  connection.databaseId,
  connection.name,
  ...changeableOf(connection),
  connection.preset,
  connection.issuer,
  connection.createdAt,
]

const insertStatement = `
  INSERT INTO usher.connection
    (database_id, name, client_id, sealed_secret, options, is_enabled, preset, issuer, created_at)
  VALUES ($1::uuid, $2, $3, $4::bytea, $5::jsonb, $6, $7, $8, $9::timestamptz)
  ON CONFLICT DO NOTHING
  RETURNING 1`

const updateStatement = `
  UPDATE usher.connection SET client_id = $3, sealed_secret = $4::bytea, options = $5::jsonb, is_enabled = $6
  WHERE database_id = $1::uuid AND name = $2`

export const deleteConnection = (
  { query }: Queries,
  { databaseId, name }: Pick<Connection, 'databaseId' | 'name'>,
) => query(deleteStatement, [databaseId, name])

const deleteStatement = 'DELETE FROM usher.connection WHERE database_id = $1::uuid AND name = $2'

/** Replaces the encrypted secret of a connection, unless it was changed since it was read. */
export const resealConnection = (
  { query }: Queries,
  { databaseId, name, sealedSecret }: Connection,
  resealed: Uint8Array,
) => query(resealStatement, [databaseId, name, sealedSecret, resealed])

const resealStatement = `
  UPDATE usher.connection SET sealed_secret = $4::bytea
  WHERE database_id = $1::uuid AND name = $2 AND sealed_secret = $3::bytea`
