import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from './failures.js'
import type { DescribedRoutes } from './metadata.js'
import { ProblemCode, problemStatus, problems } from './problems.js'
import { component, field } from './registry.js'

const c = initContract()

/** Response of the health and readiness checks. */
export const Health = component(
  { id: 'Health', description: 'A successful check.', examples: [{ status: 'ok' }] },
  z.object({ status: field('Always `ok`.', z.literal('ok')) }),
)

/** A problem type: the resource at the `type` URL of a problem. */
export const ProblemType = component(
  {
    id: 'ProblemType',
    description: 'A problem type.',
    examples: [{ code: 'email_taken', ...problems.email_taken }],
  },
  z.object({
    code: ProblemCode,
    status: problemStatus('HTTP status of its responses.'),
    title: field('Summary of the problem type.', z.string()),
    advice: field('What the client should do. Code is set in backticks.', z.string()),
  }),
)
export type ProblemType = z.infer<typeof ProblemType>

/** An OpenAPI document. */
export const OpenApiDocument = component(
  { id: 'OpenApiDocument', description: 'An OpenAPI document.', examples: [{ openapi: '3.1.0' }] },
  z.looseObject({ openapi: field('Version of the OpenAPI Specification.', z.string()) }),
)

/** Returns the operations that return the document of a part of the API. */
export const documentRoutes = <const Folder extends string>(folder: Folder, description: string) =>
  ({
    getOpenApiDocument: {
      method: 'GET',
      path: `${folder}openapi.json`,
      responses: { 200: OpenApiDocument, ...failures() },
      metadata: { who: 'anyone', revalidates: true },
      summary: 'Get this document',
      description,
    },
    getOpenApi30Document: {
      method: 'GET',
      path: `${folder}openapi-3.0.json`,
      responses: { 200: OpenApiDocument, ...failures() },
      metadata: { who: 'anyone', revalidates: true },
      summary: 'Get this document in OpenAPI 3.0',
      description: 'For tools that do not support OpenAPI 3.1.',
    },
  }) as const

export const service = c.router({
  getHealth: {
    method: 'GET',
    path: '/healthz',
    responses: { 200: Health, ...failures() },
    summary: 'Check that the process is alive',
    description: 'Does not depend on the store.',
    metadata: { who: 'anyone' },
  },
  getReadiness: {
    method: 'GET',
    path: '/readyz',
    responses: { 200: Health, ...failures('unavailable') },
    summary: 'Check that the service can handle requests',
    description:
      'Succeeds if the store is reachable, all migrations are applied and the server is not shutting down.',
    metadata: { who: 'anyone' },
  },
  ...documentRoutes('/', 'Returns the OpenAPI 3.1 document with the URL of this server.'),
  getProblemType: {
    method: 'GET',
    path: '/problems/:code',
    pathParams: z.object({
      code: field('Code of a problem.', ProblemCode.clone(undefined, { parent: true }), {
        examples: ['email_taken'],
      }),
    }),
    responses: { 200: ProblemType, ...failures('route_not_found') },
    summary: 'Get a problem type',
    description: 'Returns an HTML page if `Accept` prefers `text/html` to `application/json`.',
    metadata: { who: 'anyone', html: true },
  },
} satisfies DescribedRoutes)
