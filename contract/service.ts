import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from './failures.js'
import type { DescribedRoutes } from './metadata.js'
import { ProblemCode, problems } from './problems.js'
import { registry } from './registry.js'

const c = initContract()

/** Response of the health and readiness checks. */
export const Health = z
  .object({ status: z.literal('ok').register(registry, { description: 'Always `ok`.' }) })
  .register(registry, {
    id: 'Health',
    description: 'A successful check.',
    examples: [{ status: 'ok' }],
  })

/** A problem type: the resource at the `type` URL of a problem. */
export const ProblemType = z
  .object({
    code: ProblemCode,
    status: z
      .int()
      .min(400)
      .max(599)
      .register(registry, { description: 'HTTP status of its responses.', format: 'int32' }),
    title: z.string().register(registry, { description: 'Summary of the problem type.' }),
    advice: z
      .string()
      .register(registry, { description: 'What the client should do. Code is set in backticks.' }),
  })
  .register(registry, {
    id: 'ProblemType',
    description: 'A problem type.',
    examples: [{ code: 'email_taken', ...problems.email_taken }],
  })
export type ProblemType = z.infer<typeof ProblemType>

const OpenApiDocument = z
  .looseObject({
    openapi: z.string().register(registry, { description: 'Version of the OpenAPI Specification.' }),
  })
  .register(registry, {
    id: 'OpenApiDocument',
    description: 'An OpenAPI document.',
    examples: [{ openapi: '3.1.0' }],
  })

export const service = c.router({
  getHealth: {
    method: 'GET',
    path: '/healthz',
    responses: { 200: Health, ...failures() },
    summary: 'Check that the process is alive',
    description: 'Does not depend on the store.',
  },
  getReadiness: {
    method: 'GET',
    path: '/readyz',
    responses: { 200: Health, ...failures('unavailable') },
    summary: 'Check that the service can handle requests',
    description:
      'Succeeds if the store is reachable, all migrations are applied and the server is not shutting down.',
  },
  getOpenApiDocument: {
    method: 'GET',
    path: '/openapi.json',
    responses: { 200: OpenApiDocument, ...failures() },
    metadata: { revalidates: true },
    summary: 'Get this document',
    description: 'Returns the OpenAPI 3.1 document with the URL of this server.',
  },
  getOpenApi30Document: {
    method: 'GET',
    path: '/openapi-3.0.json',
    responses: { 200: OpenApiDocument, ...failures() },
    metadata: { revalidates: true },
    summary: 'Get this document in OpenAPI 3.0',
    description: 'For tools that do not support OpenAPI 3.1.',
  },
  getProblemType: {
    method: 'GET',
    path: '/problems/:code',
    pathParams: z.object({
      code: ProblemCode.clone(undefined, { parent: true }).register(registry, {
        description: 'Code of a problem.',
        examples: ['email_taken'],
      }),
    }),
    responses: { 200: ProblemType, ...failures('route_not_found') },
    summary: 'Get a problem type',
    description: 'Returns an HTML page if `Accept` prefers `text/html` to `application/json`.',
    metadata: { html: true },
  },
} satisfies DescribedRoutes)
