import { initServer } from '@ts-rest/fastify'
import { contract } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { requireReady } from '../../domain/readiness.js'
import { version } from '../../version.js'
import { type KeptBody, keepJson, sendKept } from '../kept-body.js'

const server = initServer()
const { getHealth, getReadiness, getOpenApiDocument, getOpenApi30Document } = contract.service

export function serviceRoutes(app: FastifyInstance, context: AppContext, baseUrl: string) {
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
  for (const [{ path }, name] of [
    [getOpenApiDocument, 'openApiDocument'],
    [getOpenApi30Document, 'openApi30Document'],
  ] as const) {
    let kept: Promise<KeptBody> | undefined
    app.get(path, async (request, reply) => {
      // Loaded at the first request, because it would take a tenth of the time of a start.
      kept ??= import('@usher/contract/openapi').then((documents) =>
        keepJson(documents[name](baseUrl, version)),
      )
      return sendKept(request, reply, await kept)
    })
  }
}
