import { type AppRoute, type AppRouter, ContractNoBody, isAppRoute } from '@ts-rest/core'
import {
  type HeaderObject,
  type LinkObject,
  type OpenAPIObject,
  OpenApiBuilder,
  type OperationObject,
  type ReferenceObject,
  type RequestBodyObject,
  type ResponseObject,
  type SchemaObject,
} from 'openapi3-ts/oas31'
import { z } from 'zod'
import { contract } from './index.js'
import {
  bodyProblems,
  type ProblemBody,
  type ProblemCode,
  type ProblemHeader,
  problems,
  tokenProblems,
} from './problems.js'
import { registry } from './registry.js'

type HeaderName = ProblemHeader | 'Cache-Control'

const headers: Record<HeaderName, HeaderObject & { example: string | number }> = {
  'Accept-Encoding': {
    description: 'Present if the `Content-Encoding` of the request is not supported.',
    schema: { type: 'string' },
    example: 'identity',
  },
  'Cache-Control': {
    description: 'Whether and for how long the response may be cached.',
    schema: { type: 'string' },
    example: 'no-store',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86400 },
    example: 1,
  },
  'WWW-Authenticate': {
    description: 'Challenge: of RFC 6750 section 3, or `Password` after a failed login.',
    schema: { type: 'string' },
    example: 'Bearer realm="demo/app", error="invalid_token"',
  },
}

const tags = {
  users: 'Sign up, log in and get the current user.',
  account: 'What users do with their account after login. An operator may turn these off for a database.',
  discovery: 'Keys and metadata for services that verify access tokens.',
  operations: 'Health checks and documentation.',
} satisfies Record<keyof typeof contract, string>

const routes = Object.entries(contract).flatMap(([tag, router]: [string, AppRouter]) =>
  Object.entries(router).flatMap(([operationId, route]) =>
    isAppRoute(route) ? [{ tag, operationId, route }] : [],
  ),
)

/** The properties of a route that ts-rest does not define. */
export interface RouteMetadata {
  /** Whether the request needs an access token. */
  security?: 'bearer'
  html?: boolean
  /** IDs of the operations that can follow. */
  links?: readonly string[]
  revalidates?: boolean
  /**
   * Whether a client may send the request again if there was no response. By default GET requests may be, and those with
   * an Idempotency-Key.
   */
  isRepeatable?: boolean
  /** Whether no token of the user is valid after a success. */
  signsOut?: boolean
}

const metadataOf = (route: AppRoute) => (route.metadata ?? {}) as RouteMetadata

const requestBodies = new Set(routes.map(({ route }) => 'body' in route && route.body))

interface Rendered {
  zodSchema: z.core.$ZodType
  jsonSchema: z.core.JSONSchema.BaseSchema
}

const rendering = {
  metadata: registry,
  // Of a body with a default value, clients see the input.
  io: 'input',
  override: ({ zodSchema, jsonSchema }: Rendered) => {
    // A pattern next to a format says the same twice.
    if (jsonSchema.format) delete jsonSchema.pattern
    const [nullable, nothing] = jsonSchema.anyOf ?? []
    if (nullable?.type === 'string' && nothing?.type === 'null') {
      Object.assign(jsonSchema, nullable, { type: ['string', 'null'] })
      delete jsonSchema.anyOf
    }
    if ('isOpen' in jsonSchema) {
      jsonSchema['x-extensible-enum'] = jsonSchema.enum
      delete jsonSchema.enum
      delete jsonSchema.isOpen
    }
    // Importers of requests read the example of the media type only.
    if (requestBodies.has(zodSchema)) delete jsonSchema.examples
    // Without it, generated clients of some languages reject a field that a later version adds.
    else if (jsonSchema.type === 'object') jsonSchema.additionalProperties = true
  },
} as const

const toOpenApiSchema = ({ $schema, $id, '~standard': _, ...schema }: Record<string, unknown>) =>
  schema as SchemaObject

type ComponentKind = 'schemas' | 'headers' | 'links' | 'parameters' | 'responses'

const component = (kind: ComponentKind, name: string): ReferenceObject => ({
  $ref: `#/components/${kind}/${name}`,
})

/** Returns a reference to the component of a named schema or its clone, or the JSON Schema of an unnamed one. */
function schemaOf(schema: z.ZodType): SchemaObject | ReferenceObject {
  const { parent = schema } = schema._zod
  const id = registry.get(schema)?.id ?? registry.get(parent)?.id
  if (id) return component('schemas', id)
  const { description: _, ...inline } = toOpenApiSchema(z.toJSONSchema(schema, rendering))
  return inline
}

const html = { 'text/html': { schema: { type: 'string' } } } as const

const headersOf = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, component('headers', name)]))

const pascalCase = (name: string) =>
  name.replace(/(?:^|[_-])([a-z])/g, (_, letter: string) => letter.toUpperCase())

function problemExample(code: ProblemCode, route: AppRoute) {
  const { status, title } = problems[code]
  const errors =
    code === 'validation_failed'
      ? [{ path: 'email', code: 'email_invalid', detail: 'must be an email address' }]
      : undefined
  return {
    type: `{baseUrl}/problems/${code}`,
    title,
    status,
    detail: `${title}.`,
    instance: route.path
      .replace(':workspaceSlug', 'demo')
      .replace(':databaseName', 'app')
      .replace(':code', 'unknown'),
    code,
    requestId: 'req-7f3a',
    ...(errors && { errors }),
  }
}

/** Names of responses that have these codes and perhaps more. */
const sharedNames: Record<string, readonly string[]> = {
  BadRequest: [...bodyProblems, 'malformed_request'].filter(
    (code) => problems[code as ProblemCode].status === 400,
  ),
  Unauthorized: tokenProblems,
  NotFound: ['route_not_found', 'database_not_found'],
}

/** Returns the name of the response with these codes, such as `BadRequest` or `UnauthorizedInvalidCredentials`. */
function responseName(codes: readonly string[]) {
  const [name = '', named = []] =
    Object.entries(sharedNames).find(([, named]) => named.every((code) => codes.includes(code))) ?? []
  return (
    name +
    codes
      .filter((code) => !named.includes(code))
      .map(pascalCase)
      .join('')
  )
}

/**
 * Adds the response to the components and returns a reference to it. Its schema is that of all problems, because
 * generators write a class for every other one.
 */
function problemResponse(builder: OpenApiBuilder, codes: ProblemCode[], route: AppRoute): ReferenceObject {
  const isPage = metadataOf(route).html && codes.includes('route_not_found')
  const name = responseName(codes)
  const extra = codes.flatMap((code): readonly ProblemHeader[] => {
    const problem = problems[code]
    return 'headers' in problem ? problem.headers : []
  })
  builder.addResponse(name, {
    description: codes.map((code) => problems[code].title).join(', or '),
    ...(extra.length > 0 && { headers: headersOf([...new Set(extra)]) }),
    content: {
      'application/problem+json': {
        schema: component('schemas', 'Problem'),
        ...(codes.length > 1
          ? {
              examples: Object.fromEntries(
                codes.map((each) => [each, { value: problemExample(each, route) }]),
              ),
            }
          : { example: problemExample(codes[0] as ProblemCode, route) }),
      },
      ...(isPage && html),
    },
    'x-problem-codes': codes,
  })
  return component('responses', name)
}

/** Adds the link to an operation of the same database to the components and returns a reference to it. */
function linkTo(builder: OpenApiBuilder, operationId: string, { pathParams }: AppRoute) {
  const names = Object.keys((pathParams as z.ZodObject).shape)
  const target = routes.find((each) => each.operationId === operationId)
  const isBearer = target && metadataOf(target.route).security
  const link: LinkObject = {
    operationId,
    description: isBearer
      ? 'Send `token.jwt` as the Bearer token.'
      : 'Send `refreshToken.value` as `refreshToken` in the body.',
    ...(!isBearer && { requestBody: { refreshToken: '$response.body#/refreshToken/value' } }),
    parameters: Object.fromEntries(names.map((name) => [name, `$request.path.${name}`])),
  }
  builder.addLink(pascalCase(operationId), link)
  return { [operationId]: component('links', pascalCase(operationId)) }
}

function responsesOf(builder: OpenApiBuilder, route: AppRoute) {
  const { html: isHtml, links = [], revalidates } = metadataOf(route)
  if (revalidates)
    builder.addResponse('NotModified', { description: 'Not modified', headers: headersOf(['Cache-Control']) })
  return Object.fromEntries([
    ...(revalidates ? [['304', component('responses', 'NotModified')] as const] : []),
    ...Object.entries(route.responses).map(
      ([status, response]): [string, ResponseObject | ReferenceObject] => {
        if (response === ContractNoBody)
          return [status, { description: 'No content', headers: headersOf(['Cache-Control']) }]
        if (!(response instanceof z.ZodType)) {
          const { body } = response as { body: unknown }
          return [status, problemResponse(builder, (body as typeof ProblemBody).shape.code.options, route)]
        }
        return [
          status,
          {
            description: status === '201' ? 'Created' : 'OK',
            headers: headersOf(['Cache-Control']),
            content: { 'application/json': { schema: schemaOf(response) }, ...(isHtml && html) },
            ...(links.length > 0 && {
              links: Object.assign({}, ...links.map((name) => linkTo(builder, name, route))),
            }),
          },
        ]
      },
    ),
  ])
}

/** Adds the path or header parameters of a route to the components and returns references to them. */
function parametersOf(builder: OpenApiBuilder, location: 'path' | 'header', schema: unknown) {
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries<z.ZodType>(schema.shape).map(([name, shape]) => {
    const { description, examples: [example] = [] } = registry.get(shape) ?? {}
    builder.addParameter(pascalCase(name), {
      name: location === 'header' ? headerName(name) : name,
      in: location,
      required: location === 'path',
      ...(description && { description }),
      ...(example !== undefined && { example }),
      schema: schemaOf(shape),
    })
    return component('parameters', pascalCase(name))
  })
}

const requestBodyOf = (body: z.ZodType): RequestBodyObject => ({
  required: true,
  content: {
    'application/json': { schema: schemaOf(body), example: registry.get(body)?.examples?.[0] },
  },
})

/** Returns the usual spelling of a header name, which is not case-sensitive. */
const headerName = (name: string) => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())

function operationOf(
  builder: OpenApiBuilder,
  operationId: string,
  tag: string,
  route: AppRoute,
): OperationObject {
  const parameters = [
    ...parametersOf(builder, 'path', route.pathParams),
    ...parametersOf(builder, 'header', route.headers),
  ]
  return {
    operationId,
    tags: [tag],
    ...(route.summary && { summary: route.summary }),
    ...(route.description && { description: route.description }),
    ...(parameters.length > 0 && { parameters }),
    ...('body' in route && route.body instanceof z.ZodType && { requestBody: requestBodyOf(route.body) }),
    responses: responsesOf(builder, route),
    security: metadataOf(route).security ? [{ bearer: [] }] : [],
  }
}

/**
 * Returns the OpenAPI 3.1 document of the contract.
 *
 * @param baseUrl root URL of the API, without a slash at the end
 * @param version version of the API, for `info.version`
 */
export function openApiDocument(baseUrl: string, version: string): OpenAPIObject {
  const builder = OpenApiBuilder.create()
    .addOpenApiVersion('3.1.0')
    .addInfo({
      title: 'Usher',
      version,
      description:
        'User management for multi-tenant products. Sign up and log in users in a database of a workspace, and send the access token with later requests. Later versions may add operations, fields and codes: ignore an unknown field, and treat an unknown code by its status. Every response has the header X-Request-Id, and every error Cache-Control: no-store.',
      contact: { name: 'The Usher authors' },
      license: { name: 'MIT', identifier: 'MIT' },
    })
    .addServer({ url: '{baseUrl}', description: 'This server' })
    .addSecurityScheme('bearer', {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The `token.jwt` that sign-up and login return: RFC 9068, verified by RFC8725.',
    })
  const { schemas } = z.toJSONSchema(registry, {
    ...rendering,
    uri: (id) => `#/components/schemas/${id}`,
  })
  for (const [name, schema] of Object.entries(schemas))
    builder.addSchema(name, toOpenApiSchema({ ...schema }))
  for (const [name, header] of Object.entries(headers)) builder.addHeader(name, header)
  for (const [name, description] of Object.entries(tags)) builder.addTag({ name, description })
  for (const { tag, operationId, route } of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    builder.addPath(path, { [route.method.toLowerCase()]: operationOf(builder, operationId, tag, route) })
  }
  return JSON.parse(builder.getSpecAsJson(), (_key, value) =>
    typeof value === 'string' ? value.replace('{baseUrl}', baseUrl) : value,
  )
}

/** Returns the document of `openApiDocument` in OpenAPI 3.0, which has a JSON Schema of its own. */
export function openApi30Document(baseUrl: string, version: string): OpenAPIObject {
  const { info, ...rest } = openApiDocument(baseUrl, version)
  const document = { ...rest, openapi: '3.0.3', info: { ...info, license: { name: 'MIT' } } }
  return JSON.parse(JSON.stringify(document), (_key, value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const { const: constant, examples, ...schema } = value
    return {
      ...schema,
      ...(Array.isArray(value.type) && { type: value.type[0], nullable: true }),
      ...('const' in value && { enum: [constant] }),
      ...(Array.isArray(examples) ? { example: examples[0] } : examples && { examples }),
    }
  })
}
