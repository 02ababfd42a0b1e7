import { initServer } from '@ts-rest/fastify'
import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { requireReady } from '../../domain/readiness.js'
import { type KeptJson, keepJson, sendJson } from '../kept-json.js'

const server = initServer()
const { getHealth, getReadiness, getOpenApiDocument, getOpenApi30Document } = contract.operations

export function operationRoutes(
  app: FastifyInstance,
  context: AppContext,
  document: object,
  document30: object,
) {
  const router = server.router(
    { getHealth, getReadiness },
    {
      getHealth: async () => ({ status: 200, body: { status: 'ok' } }),
      getReadiness: async () => {
        await requireReady(context)
        return { status: 200, body: { status: 'ok' } }
      },
    },
  )
  app.register(server.plugin(router))
  for (const [{ path }, body] of [
    [getOpenApiDocument, document],
    [getOpenApi30Document, document30],
  ] as const) {
    let kept: KeptJson | undefined
    app.get(path, (request, reply) => {
      kept ??= keepJson(body)
      return sendJson(request, reply, kept)
    })
  }
}
