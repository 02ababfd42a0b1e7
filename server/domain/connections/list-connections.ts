import type { ConnectionList } from '@usher/contract'
import type { AppContext } from '../context.js'
import type { DatabaseRequest } from '../request.js'
import { titleOf } from './connection.js'

/** Returns the enabled connections of the database. */
export async function listConnections(
  { findConnections }: AppContext,
  { database }: DatabaseRequest,
): Promise<ConnectionList> {
  const connections = await findConnections(database.id)
  return {
    connections: connections.map((each) => ({ name: each.name, title: titleOf(each), preset: each.preset })),
  }
}
