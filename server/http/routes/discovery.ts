import { contract, DatabasePath } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { featuresOf } from '../../domain/databases/features.js'
import type { Database } from '../../domain/databases/find-database.js'
import { Problem } from '../../domain/problem.js'
import { publishedKeys } from '../../domain/tokens/access-token.js'
import { issuerMetadata, keySet } from '../../domain/tokens/discovery.js'
import { requireServed } from '../console-access.js'
import { type KeptBody, keepJson, sendKept } from '../kept-body.js'

/**
 * Serves key sets, metadata and features. Plain Fastify routes, because each body is serialized only once while it is
 * cached.
 */
export function discoveryRoutes(app: FastifyInstance, context: AppContext) {
  const { getKeySet, ...metadata } = contract.discovery
  serveKept(app, context, { route: getKeySet, bodyOf: keySet })
  for (const route of Object.values(metadata)) serveKept(app, context, { route, bodyOf: issuerMetadata })
  serveKept(app, context, { route: contract.features.getFeatures, bodyOf: featuresOf })
}

interface KeptRoute {
  route: { path: string; metadata: { cacheControl: string } }
  bodyOf: (database: Database, now: number) => object
}

function serveKept(app: FastifyInstance, context: AppContext, { route, bodyOf }: KeptRoute) {
  const kept = new WeakMap<Database, KeptBody & { keyCount: number }>()
  app.get(route.path, async (request, reply) => {
    const { data } = DatabasePath.safeParse(request.params)
    if (!data) throw new Problem('database_not_found')
    const database = await context.findDatabase(data)
    requireServed(request, database)
    // While a database is cached, keys can only be retired. So their number identifies the published ones.
    const keyCount = publishedKeys(database, context.now()).length
    let body = kept.get(database)
    if (body?.keyCount !== keyCount) {
      body = { ...keepJson(bodyOf(database, context.now())), keyCount }
      kept.set(database, body)
    }
    reply.header('cache-control', route.metadata.cacheControl)
    return sendKept(request, reply, body)
  })
}
