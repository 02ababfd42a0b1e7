import type { AppRoute } from '@ts-rest/core'
import type { LinkObject, OpenApiBuilder, ReferenceObject } from 'openapi3-ts/oas31'
import { z } from 'zod'
import { pascalCase, reference } from './components.js'
import { metadataOf, routes } from './routes.js'

/**
 * Adds links to operations of the same database to the components and returns references to them. A link has no
 * `requestBody`: openapi-generator rejects a document whose links have one that is not a string.
 */
export function linksTo(builder: OpenApiBuilder, operationIds: readonly string[], { pathParams }: AppRoute) {
  const names = Object.keys((pathParams as z.ZodObject).shape)
  const links: Record<string, ReferenceObject> = {}
  for (const operationId of operationIds) {
    const link: LinkObject = {
      operationId,
      description: whatToSend(operationId),
      parameters: Object.fromEntries(names.map((name) => [name, `$request.path.${name}`])),
    }
    builder.addLink(pascalCase(operationId), link)
    links[operationId] = reference('links', pascalCase(operationId))
  }
  return links
}

/** Returns which value of the previous response, or of the mail that it caused, an operation needs. */
function whatToSend(operationId: string) {
  const target = routes.find((each) => each.operationId === operationId)?.route
  if (!target) throw new Error(`a link leads to ${operationId}, which does not exist`)
  if (metadataOf(target).security === 'bearer') return 'Send `token.jwt` as the Bearer token.'
  const shape = 'body' in target && target.body instanceof z.ZodObject ? target.body.shape : {}
  return 'refreshToken' in shape
    ? 'Send `refreshToken.value` as `refreshToken` in the body.'
    : 'Send the code from the mail as `code` in the body.'
}
