import { initServer } from '@ts-rest/fastify'
import { contract, problems } from '@usher/contract'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../../domain/problem.js'
import { requireReady } from '../../domain/readiness.js'
import type { Service } from '../../domain/context.js'
import { problemPage } from './problem-page.js'
import { prefersHtml } from './api-reference.js'

const server = initServer()

export function operationRoutes(app: FastifyInstance, service: Service, document: { openapi: string }) {
  const router = server.router(contract.operations, {
    health: async () => ({ status: 200, body: { status: 'ok' } }),
    readiness: async () => {
      await requireReady(service)
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
