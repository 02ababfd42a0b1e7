import { type AppRoute, ContractNoBody } from '@ts-rest/core'
import type {
  ContentObject,
  OpenApiBuilder,
  OperationObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
  SecurityRequirementObject,
} from 'openapi3-ts/oas31'
import { z } from 'zod'
import { type RouteMetadata, scopeOf, userTokenOf } from '../metadata.js'
import type { ProblemBody } from '../problems.js'
import { registry } from '../registry.js'
import { headersOf, html, pascalCase, reference } from './components.js'
import { linksTo } from './links.js'
import { problemResponse } from './problem-responses.js'
import { metadataOf, type routes } from './routes.js'
import { schemaOf, withoutOptional } from './schemas.js'

type Response = ResponseObject | ReferenceObject

/** Returns an operation. Adds its parameters, responses and links to the components of the document. */
export function operationOf(
  builder: OpenApiBuilder,
  { operationId, tag, route }: (typeof routes)[number],
): OperationObject {
  const parameters = [
    ...parametersOf(builder, operationId, { in: 'path', schema: route.pathParams }),
    ...parametersOf(builder, operationId, { in: 'query', schema: route.query }),
    ...parametersOf(builder, operationId, { in: 'header', schema: route.headers }),
  ]
  return {
    operationId,
    tags: [tag],
    ...(route.summary && { summary: route.summary }),
    ...(route.description && { description: descriptionOf(route) }),
    ...(parameters.length > 0 && { parameters }),
    ...('body' in route &&
      route.body instanceof z.ZodType && { requestBody: requestBodyOf(route.body, metadataOf(route)) }),
    responses: responsesOf(builder, route),
    security: securityOf(metadataOf(route)),
  }
}

const descriptionOf = (route: AppRoute) => {
  const scope = scopeOf(metadataOf(route))
  return scope ? `${route.description} Needs the scope \`${scope}\`.` : route.description
}

/** Returns the alternative requirements. An empty one means that no token is needed. */
function securityOf(metadata: RouteMetadata): SecurityRequirementObject[] {
  if (scopeOf(metadata)) return [{ apiKey: [] }]
  const token = userTokenOf(metadata)
  if (!token) return []
  return token === 'needed' ? [{ bearer: [] }] : [{ bearer: [] }, {}]
}

/** Adds the parameters of a route to the components and returns references to them. */
function parametersOf(
  builder: OpenApiBuilder,
  operationId: string,
  { in: location, schema }: { in: 'path' | 'query' | 'header'; schema: unknown },
) {
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries<z.ZodType>(schema.shape).map(([name, shape]) => {
    const { description, examples: [example] = [] } = registry.get(shape) ?? {}
    const parameter = {
      name: location === 'header' ? headerName(name) : name,
      in: location,
      required: location === 'path',
      ...(description && { description }),
      ...(example !== undefined && { example }),
      schema: withLimit(schemaOf(shape)),
    }
    const named = builder.getSpec().components?.parameters?.[pascalCase(name)]
    const isOther = named && JSON.stringify(named) !== JSON.stringify(parameter)
    const key = (isOther ? pascalCase(operationId) : '') + pascalCase(name)
    builder.addParameter(key, parameter)
    return reference('parameters', key)
  })
}

/** Adds the length of a UUID, which a server can check before its form. */
const withLimit = (schema: ReturnType<typeof schemaOf>) =>
  'format' in schema && schema.format === 'uuid' ? { ...schema, maxLength: 36 } : schema

/** Returns the usual spelling of a header name, which is not case-sensitive. */
const headerName = (name: string) => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())

function requestBodyOf(body: z.ZodType, { lines, maxBytes }: RouteMetadata): RequestBodyObject {
  const schema = withoutOptional(body)
  const { examples, description } = registry.get(schema) ?? {}
  const example = examples?.[0]
  const content: ContentObject = lines
    ? { [ndjson]: { schema: linesSchema(schema, { ...lines, maxBytes }), example } }
    : { 'application/json': { schema: schemaOf(schema), example } }
  return { required: schema === body, ...(lines && { description }), content }
}

const ndjson = 'application/x-ndjson'

/** Returns the schema of NDJSON, which is a string for OpenAPI before 3.2. */
const linesSchema = (
  schema: z.ZodType,
  { each, maxBytes }: NonNullable<RouteMetadata['lines']> & Pick<RouteMetadata, 'maxBytes'>,
) => ({
  ...schemaOf(schema),
  maxLength: maxBytes,
  'x-item-schema': schemaOf(each),
})

function responsesOf(builder: OpenApiBuilder, route: AppRoute) {
  const responses: Record<string, Response> = {}
  if (metadataOf(route).revalidates) {
    builder.addResponse('NotModified', { description: 'Not modified', headers: headersOf(['Cache-Control']) })
    responses['304'] = reference('responses', 'NotModified')
  }
  for (const [status, response] of Object.entries(route.responses))
    responses[status] = responseOf(builder, route, [status, response])
  return responses
}

function responseOf(
  builder: OpenApiBuilder,
  route: AppRoute,
  [status, response]: [string, unknown],
): Response {
  if (response === ContractNoBody) return { description: 'No content', headers: headersOf(['Cache-Control']) }
  if (!(response instanceof z.ZodType)) {
    const { body } = response as { body: typeof ProblemBody }
    return problemResponse(builder, body.shape.code.options, route)
  }
  const { html: isHtml, links, changeable, mayAskToWait } = metadataOf(route)
  const names = ['Cache-Control', changeable && 'ETag', mayAskToWait && 'Retry-After'] as const
  return {
    description: status === '201' ? 'Created' : 'OK',
    headers: headersOf(names.filter((name) => typeof name === 'string')),
    content: { 'application/json': { schema: schemaOf(response) }, ...(isHtml && html) },
    ...(links && { links: linksTo(builder, links, route) }),
  }
}
