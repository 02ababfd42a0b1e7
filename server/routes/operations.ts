import { initServer } from '@ts-rest/fastify'
import { contract } from '@usher/contract'
import { openApiDocument } from '@usher/contract/openapi'
import type { FastifyInstance } from 'fastify'
import { requireReady } from '../domain/readiness.js'
import type { Service } from '../domain/service.js'
import { version } from '../version.js'

const server = initServer()

export function operationRoutes(app: FastifyInstance, service: Service, baseUrl: string) {
  const document: Record<string, unknown> & { openapi: string } = { ...openApiDocument(baseUrl, version) }
  const router = server.router(contract.operations, {
    health: async () => ({ status: 200, body: { status: 'ok' } }),
    readiness: async () => {
      await requireReady(service.store)
      return { status: 200, body: { status: 'ok' } }
    },
    openapi: async () => ({ status: 200, body: document }),
  })
  app.register(server.plugin(router))
}
