import { initServer } from '@ts-rest/fastify'
import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { requireReady } from '../../domain/readiness.js'

const server = initServer()
const { health, readiness, openapi } = contract.operations

export function operationRoutes(app: FastifyInstance, context: AppContext, document: { openapi: string }) {
  const router = server.router(
    { health, readiness, openapi },
    {
      health: async () => ({ status: 200, body: { status: 'ok' } }),
      readiness: async () => {
        await requireReady(context)
        return { status: 200, body: { status: 'ok' } }
      },
      openapi: async () => ({ status: 200, body: { ...document } }),
    },
  )
  app.register(server.plugin(router))
}
