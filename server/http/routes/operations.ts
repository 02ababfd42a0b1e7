import { initServer } from '@ts-rest/fastify'
import { contract, problems } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { Problem } from '../../domain/problem.js'
import { requireReady } from '../../domain/readiness.js'
import { prefersHtml } from './api-reference.js'
import { problemPage } from './problem-page.js'

const server = initServer()

export function operationRoutes(app: FastifyInstance, context: AppContext, document: { openapi: string }) {
  const router = server.router(contract.operations, {
    health: async () => ({ status: 200, body: { status: 'ok' } }),
    readiness: async () => {
      await requireReady(context)
      return { status: 200, body: { status: 'ok' } }
    },
    openapi: async () => ({ status: 200, body: { ...document } }),
    problemType: async ({ params: { code }, request, reply }) => {
      const { status, title, advice } = problems[code]
      const body = { code, status, title, advice }
      // ts-rest knows one media type for a status; the page is sent past it.
      if (prefersHtml(request.headers.accept)) reply.type('text/html; charset=utf-8').send(problemPage(body))
      return { status: 200, body }
    },
  })
  app.register(server.plugin(router), {
    requestValidationErrorHandler: () => {
      throw new Problem('route_not_found')
    },
  })
}
