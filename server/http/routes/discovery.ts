import { initServer } from '@ts-rest/fastify'
import { contract, type DatabasePath } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { issuerMetadata, keySet } from '../../domain/tokens/discovery.js'
import { rejectInvalidPath } from './invalid-path.js'

const server = initServer()
const { cacheControl } = contract.discovery.getKeySet.metadata

export function discoveryRoutes(app: FastifyInstance, context: AppContext) {
  const metadata = async ({ params }: { params: DatabasePath }) => {
    const database = await context.findDatabase(params)
    return { status: 200 as const, body: issuerMetadata(database, context.now()) }
  }
  const router = server.router(contract.discovery, {
    getKeySet: async ({ params }) => {
      const database = await context.findDatabase(params)
      return { status: 200, body: keySet(database, context.now()) }
    },
    getIssuerMetadata: metadata,
    getAuthorizationServerMetadata: metadata,
  })
  app.register(server.plugin(router), {
    requestValidationErrorHandler: rejectInvalidPath,
    hooks: {
      onSend: (_request, reply, _payload, done) => {
        if (reply.statusCode === 200) reply.header('cache-control', cacheControl)
        done()
      },
    },
  })
}
