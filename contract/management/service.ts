import { initContract } from '@ts-rest/core'
import type { DescribedRoutes } from '../metadata.js'
import { documentRoutes } from '../service.js'

export const service = initContract().router(
  documentRoutes(
    '/management/',
    'Returns the OpenAPI 3.1 document of the management API with the URL of this server.',
  ) satisfies DescribedRoutes,
)
