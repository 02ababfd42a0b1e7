import { initServer } from '@ts-rest/fastify'
import { contract, type DatabasePath } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { issuerMetadata, keySet } from '../../domain/tokens/discovery.js'
import type { Service } from '../../domain/context.js'
import { refusePath } from './invalid-path.js'

const server = initServer()
const { cacheControl } = contract.discovery.keySet.metadata

export function discoveryRoutes(app: FastifyInstance, service: Service) {
  const metadata = async ({ params }: { params: DatabasePath }) => {
    const database = await service.findDatabase(params)
    return { status: 200 as const, body: issuerMetadata(database, service.now()) }
  }
  const router = server.router(contract.discovery, {
    keySet: async ({ params }) => {
      const database = await service.findDatabase(params)
      return { status: 200, body: keySet(database, service.now()) }
    },
    openidConfiguration: metadata,
    authorizationServer: metadata,
  })
  app.register(server.plugin(router), {
    requestValidationErrorHandler: refusePath,
    hooks: {
      onSend: (_request, reply, _payload, done) => {
        if (reply.statusCode === 200) reply.header('cache-control', cacheControl)
        done()
      },
    },
  })
}
