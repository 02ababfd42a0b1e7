import { DatabasePath, type RouteMetadata, scopeOf } from '@usher/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AppContext } from '../domain/context.js'
import type { Database } from '../domain/databases/find-database.js'
import { Problem } from '../domain/problem.js'
import { networkOf } from '../domain/throttle/client-network.js'
import { requireServed } from './console-access.js'
import { verifyApiKey } from './verify-api-key.js'

type Find = (path: DatabasePath) => Promise<Database>

/** An operation of a database. */
interface Operation {
  metadata: RouteMetadata
  find: Find
}

/** Returns what happens before the body of a request is read, so that a rejected one costs little. */
export function hooksBeforeBody(
  app: Pick<FastifyInstance, 'consoleAccess'>,
  context: AppContext,
  { metadata, find }: Operation,
) {
  const scope = scopeOf(metadata)
  return [
    ...(scope || app.consoleAccess.hasUsers ? [] : [onlyOperators(find)]),
    ...(scope ? [verifyApiKey(context, { metadata, scope })] : []),
    ...(metadata.hashesPassword ? [shedLoad(context)] : []),
  ]
}

/** Returns a hook that rejects the users of all databases but that of the operators. */
const onlyOperators =
  (find: Find) =>
  async (request: Pick<FastifyRequest, 'params' | 'server' | 'clientAddress' | 'headers' | 'raw'>) => {
    const { data: path } = DatabasePath.safeParse(request.params)
    if (!path) throw new Problem('database_not_found')
    requireServed(request, await find(path))
  }

/** Returns a hook that sheds a request while too many wait for hashes. */
const shedLoad =
  ({ hashing }: AppContext) =>
  ({ clientAddress }: Pick<FastifyRequest, 'clientAddress'>, _reply: unknown, done: () => void) => {
    hashing.assertCapacity(networkOf(clientAddress))
    done()
  }
