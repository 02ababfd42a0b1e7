import { findConnections, insertConnection } from '../../store/queries/connections.js'
import { lockSigningKeys } from '../../store/queries/keys.js'
import type { MasterKeys } from '../../store/store.js'
import type { Change, Outcome } from '../change.js'
import type { Connection } from '../connections/connection.js'
import { nameOfDatabase } from '../database-name.js'
import { lockSealingKey } from '../keys/database-secrets.js'
import { sealConnectionSecret } from '../keys/master-key.js'
import { Problem } from '../problem.js'

/** Connections that a database may have. */
const maxConnections = 20

/** A connection, and the secret of its client. Null: the client has none. */
export interface NewConnection
  extends Pick<Connection, 'name' | 'preset' | 'issuer' | 'clientId' | 'options'> {
  secret: string | null
}

/**
 * Adds a connection. Servers offer it within 5 s.
 *
 * @throws {Problem} if the database has one of that name, or the maximum number
 */
export async function addConnection(
  change: Change,
  masterKeys: MasterKeys,
  { secret, ...described }: NewConnection,
): Promise<Outcome<Connection>> {
  const { database, now } = change
  const { name } = described
  await lockSigningKeys(change, database.id)
  if ((await findConnections(change, database.id)).length >= maxConnections)
    throw new Problem('too_many_connections', {
      detail: `Database ${nameOfDatabase(database)} already has the maximum of ${maxConnections} connections.`,
      about: nameOfDatabase(database),
    })
  const id = { databaseId: database.id, name }
  const sealedSecret =
    secret === null
      ? null
      : sealConnectionSecret(await lockSealingKey(change, masterKeys, database.id), secret, id)
  const connection = { ...described, ...id, sealedSecret, isEnabled: true, createdAt: now }
  if (!(await insertConnection(change, connection)))
    throw new Problem('connection_exists', {
      detail: `Connection ${name} already exists in ${nameOfDatabase(database)}.`,
    })
  return { result: connection, facts: [{ type: 'connection.added', connection: name }] }
}
