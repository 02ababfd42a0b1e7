import type { ConnectionList } from '@usher/contract'
import type { AppContext } from '../context.js'
import type { DatabaseRequest } from '../request.js'

export async function listConnections(
  _context: AppContext,
  _request: DatabaseRequest,
): Promise<ConnectionList> {
  throw new Error('not built')
}
