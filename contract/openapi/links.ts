import type { AppRoute } from '@ts-rest/core'
import type { LinkObject, OpenApiBuilder, ReferenceObject } from 'openapi3-ts/oas31'
import { z } from 'zod'
import { userTokenOf } from '../metadata.js'
import { pascalCase, reference } from './components.js'
import { metadataOf, routes } from './routes.js'

/**
 * Adds links to operations of the same database to the components and returns references to them. A link has no
 * `requestBody`: openapi-generator rejects a document whose links have one that is not a string.
 */
export function linksTo(builder: OpenApiBuilder, operationIds: readonly string[], source: AppRoute) {
  const known = parametersOf(source)
  const links: Record<string, ReferenceObject> = {}
  for (const operationId of operationIds) {
    const target = routes.find((each) => each.operationId === operationId)?.route
    if (!target) throw new Error(`a link leads to ${operationId}, which does not exist`)
    // The only parameter that a request does not have is the id of what it has created.
    const sourceOf = (name: string) => (known.includes(name) ? `$request.path.${name}` : '$response.body#/id')
    const link: LinkObject = {
      operationId,
      description: whatToSend(source, target),
      parameters: Object.fromEntries(parametersOf(target).map((name) => [name, sourceOf(name)])),
    }
    builder.addLink(pascalCase(operationId), link)
    links[operationId] = reference('links', pascalCase(operationId))
  }
  return links
}

const parametersOf = ({ pathParams }: AppRoute) => Object.keys((pathParams as z.ZodObject).shape)

/** Returns which value of the previous request or response, or of the mail that it caused, an operation needs. */
function whatToSend(source: AppRoute, target: AppRoute) {
  if (userTokenOf(metadataOf(target)) === 'needed') {
    const hasToken = Object.values(source.responses).some(
      (response) => response instanceof z.ZodObject && 'token' in response.shape,
    )
    return hasToken ? 'Send `token.jwt` as the Bearer token.' : 'Send the same Bearer token.'
  }
  const shape = 'body' in target && target.body instanceof z.ZodObject ? target.body.shape : {}
  if ('connection' in shape) return 'Send the name of a connection as `connection` in the body.'
  if ('idToken' in shape) return 'Send the same `state` in the body, with the ID token.'
  if ('refreshToken' in shape) return 'Send `refreshToken.value` as `refreshToken` in the body.'
  const place = 'verifier' in shape ? 'the mail, or from the URL of the app,' : 'the mail'
  return `Send the code from ${place} as \`code\` in the body.`
}
