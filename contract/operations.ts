import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures, ProblemCode } from './problems.js'
import { registry } from './registry.js'

const c = initContract()

/** Response of the health and readiness checks. */
export const Health = z.object({ status: z.literal('ok') }).register(registry, { id: 'Health' })

/** A problem type: the resource at the `type` URL of a problem. */
export const ProblemType = z
  .object({
    code: ProblemCode,
    status: z.int(),
    title: z.string(),
    advice: z.string().register(registry, { description: 'What the client should do.' }),
  })
  .register(registry, { id: 'ProblemType' })
export type ProblemType = z.infer<typeof ProblemType>

export const operations = c.router({
  health: {
    method: 'GET',
    path: '/healthz',
    responses: { 200: Health, ...failures() },
    summary: 'Check that the process is alive',
    description: 'Does not depend on the store.',
  },
  readiness: {
    method: 'GET',
    path: '/readyz',
    responses: { 200: Health, ...failures('unavailable') },
    summary: 'Check that the service can handle requests',
    description:
      'Succeeds if the store is reachable, all migrations are applied and the server is not shutting down.',
  },
  openapi: {
    method: 'GET',
    path: '/openapi.json',
    responses: {
      200: z.looseObject({ openapi: z.string().register(registry, { examples: ['3.1.0'] }) }),
      ...failures(),
    },
    summary: 'Get this document',
    description: 'Returns the OpenAPI document with the URL of this server.',
  },
  problemType: {
    method: 'GET',
    path: '/problems/:code',
    pathParams: z.object({ code: ProblemCode }),
    responses: { 200: ProblemType, ...failures('route_not_found') },
    summary: 'Get a problem type',
    description: 'Returns an HTML page if `Accept` contains `text/html`.',
    metadata: { html: true },
  },
})
