import { initContract } from '@ts-rest/core'
import { failures } from '../failures.js'
import type { DescribedRoutes } from '../metadata.js'
import { OpenApiDocument } from '../service.js'

const c = initContract()

export const service = c.router({
  getOpenApiDocument: {
    method: 'GET',
    path: '/management/openapi.json',
    responses: { 200: OpenApiDocument, ...failures() },
    metadata: { revalidates: true },
    summary: 'Get this document',
    description: 'Returns the OpenAPI 3.1 document of the management API with the URL of this server.',
  },
  getOpenApi30Document: {
    method: 'GET',
    path: '/management/openapi-3.0.json',
    responses: { 200: OpenApiDocument, ...failures() },
    metadata: { revalidates: true },
    summary: 'Get this document in OpenAPI 3.0',
    description: 'For tools that do not support OpenAPI 3.1.',
  },
} satisfies DescribedRoutes)
