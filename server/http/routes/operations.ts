import { initServer } from '@ts-rest/fastify'
import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { requireReady } from '../../domain/readiness.js'

const server = initServer()
const { getProblemType: _, ...routes } = contract.operations

/** A document of the API, as an object. */
interface Document {
  openapi: string
}

export function operationRoutes(
  app: FastifyInstance,
  context: AppContext,
  document: Document,
  document30: Document,
) {
  const router = server.router(routes, {
    getHealth: async () => ({ status: 200, body: { status: 'ok' } }),
    getReadiness: async () => {
      await requireReady(context)
      return { status: 200, body: { status: 'ok' } }
    },
    getOpenApiDocument: async () => ({ status: 200, body: { ...document } }),
    getOpenApi30Document: async () => ({ status: 200, body: { ...document30 } }),
  })
  app.register(server.plugin(router))
}
