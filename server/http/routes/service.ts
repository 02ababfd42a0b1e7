import { contract } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { requireReady } from '../../domain/readiness.js'
import { version } from '../../version.js'
import { type KeptBody, keepJson, sendKept } from '../kept-body.js'
import type { Part } from './part.js'

export function healthRoutes(app: FastifyInstance, context: AppContext) {
  app.get(contract.service.getHealth.path, async () => ({ status: 'ok' }))
  app.get(contract.service.getReadiness.path, async () => {
    await requireReady(context)
    return { status: 'ok' }
  })
}

/** The OpenAPI documents of each part of the API, by path. */
const documentsOf: Record<Part, Record<string, keyof typeof import('@usher/contract/openapi')>> = {
  public: {
    [contract.service.getOpenApiDocument.path]: 'openApiDocument',
    [contract.service.getOpenApi30Document.path]: 'openApi30Document',
  },
  management: {
    [managementContract.service.getOpenApiDocument.path]: 'managementDocument',
    [managementContract.service.getOpenApi30Document.path]: 'management30Document',
  },
}

/** Serves the OpenAPI documents of a part of the API. */
export function documentRoutes(app: FastifyInstance, part: Part, baseUrl: string) {
  for (const [path, name] of Object.entries(documentsOf[part])) {
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
