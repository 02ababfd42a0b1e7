import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core'
import {
  type HeaderObject,
  type OpenAPIObject,
  OpenApiBuilder,
  type OperationObject,
  type ParameterObject,
  type ReferenceObject,
  type ResponseObject,
  type SchemaObject,
} from 'openapi3-ts/oas31'
import { z } from 'zod'
import { contract } from './index.js'
import { type ProblemBody, type ProblemCode, type ProblemHeader, problems } from './problems.js'
import { registry } from './registry.js'

type HeaderName = ProblemHeader | 'X-Request-Id' | 'Cache-Control'

const headers: Record<HeaderName, HeaderObject & { example: string }> = {
  'Cache-Control': {
    description: 'Whether and for how long the response may be cached.',
    schema: { type: 'string' },
    example: 'no-store',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    schema: { type: 'string' },
    example: '1',
  },
  'WWW-Authenticate': {
    description: 'Authentication challenge (RFC 6750 section 3).',
    schema: { type: 'string' },
    example: 'Bearer realm="demo/app", error="invalid_token"',
  },
  'X-Request-Id': {
    description: 'ID of the request, as in the server’s log.',
    schema: { type: 'string' },
    example: '019a5d3c-7b1e-7c53-8f11-9d5c2f6b7a10',
  },
}

const component = (kind: 'schemas' | 'headers' | 'responses', name: string): ReferenceObject => ({
  $ref: `#/components/${kind}/${name}`,
})

/** Returns a reference to the component of a named schema, or the JSON Schema of an unnamed one. */
function schemaOf(schema: z.ZodType): SchemaObject | ReferenceObject {
  const id = registry.get(schema)?.id
  return id ? component('schemas', id) : toOpenApiSchema(z.toJSONSchema(schema, rendering))
}

const rendering = {
  metadata: registry,
  // Allows additional properties. Schemas for output would forbid them.
  io: 'input',
  // A pattern next to a format says the same twice.
  override: ({ jsonSchema }: { jsonSchema: { format?: string; pattern?: string } }) => {
    if (jsonSchema.format) delete jsonSchema.pattern
  },
} as const

const toOpenApiSchema = ({ $schema, $id, '~standard': _, ...schema }: Record<string, unknown>) =>
  schema as SchemaObject

const headersOf = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, component('headers', name)]))

function problemExample(code: ProblemCode, route: AppRoute) {
  const { status, title } = problems[code]
  const errors =
    code === 'validation_failed'
      ? [{ path: 'email', code: 'email_invalid', detail: 'must be an email address' }]
      : undefined
  return {
    type: `http://localhost:3000/problems/${code}`,
    title,
    status,
    detail: `${title}.`,
    instance: route.path.replace(':workspaceSlug', 'demo').replace(':databaseName', 'app'),
    code,
    requestId: headers['X-Request-Id'].example,
    ...(errors && { errors }),
  }
}

/** Names of the responses that have several codes. A response with one code is named after it. */
const sharedNames: Partial<Record<number, string>> = { 400: 'BadRequest', 401: 'Unauthorized' }

const pascalCase = (name: string) =>
  name.replace(/(?:^|[_-])([a-z])/g, (_, letter: string) => letter.toUpperCase())

/**
 * Adds the response to the components and returns a reference to it. Its schema is that of all problems, because
 * generators write a class for every other one.
 */
function problemResponse(builder: OpenApiBuilder, codes: ProblemCode[], route: AppRoute): ReferenceObject {
  const [code] = codes as [ProblemCode]
  const name = (codes.length > 1 && sharedNames[problems[code].status]) || pascalCase(code)
  const extra = codes.flatMap((code): readonly ProblemHeader[] => {
    const problem = problems[code]
    return 'headers' in problem ? problem.headers : []
  })
  builder.addResponse(name, {
    description: codes.map((code) => problems[code].title).join(', or '),
    headers: headersOf(['X-Request-Id', 'Cache-Control', ...new Set(extra)]),
    content: {
      'application/problem+json': {
        schema: component('schemas', 'Problem'),
        examples: Object.fromEntries(codes.map((code) => [code, { value: problemExample(code, route) }])),
      },
    },
    'x-problem-codes': codes,
  })
  return component('responses', name)
}

function responsesOf(builder: OpenApiBuilder, route: AppRoute) {
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, response]): [string, ResponseObject | ReferenceObject] => {
      if (response instanceof z.ZodType) {
        return [
          status,
          {
            description: status === '201' ? 'Created' : 'OK',
            headers: headersOf(['X-Request-Id', 'Cache-Control']),
            content: {
              'application/json': { schema: schemaOf(response) },
              ...(metadataOf(route).html && { 'text/html': { schema: { type: 'string' as const } } }),
            },
          },
        ]
      }
      const { body } = response as { body: unknown }
      return [status, problemResponse(builder, (body as typeof ProblemBody).shape.code.options, route)]
    }),
  )
}

/** Returns the path or header parameters of a route. */
function parametersOf(location: 'path' | 'header', schema: unknown): ParameterObject[] {
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape).map(([name, shape]) => {
    const meta = registry.get(shape as z.ZodType)
    const {
      description: _,
      examples: __,
      ...inline
    } = toOpenApiSchema(z.toJSONSchema(shape as z.ZodType, rendering))
    return {
      name: location === 'header' ? headerName(name) : name,
      in: location,
      required: location === 'path',
      description: meta?.description ?? '',
      example: meta?.examples?.[0],
      schema: meta?.id ? component('schemas', meta.id) : inline,
    }
  })
}

/** Returns the usual spelling of a header name, which is not case-sensitive. */
const headerName = (name: string) => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())

function operationOf(
  builder: OpenApiBuilder,
  operationId: string,
  tag: string,
  route: AppRoute,
): OperationObject {
  const parameters = [...parametersOf('path', route.pathParams), ...parametersOf('header', route.headers)]
  return {
    operationId,
    tags: [tag],
    ...(route.summary && { summary: route.summary }),
    ...(route.description && { description: route.description }),
    ...(parameters.length > 0 && { parameters }),
    ...('body' in route &&
      route.body instanceof z.ZodType && {
        requestBody: { required: true, content: { 'application/json': { schema: schemaOf(route.body) } } },
      }),
    responses: responsesOf(builder, route),
    security: metadataOf(route).security ? [{ bearer: [] }] : [],
  }
}

/** The properties of a route that ts-rest does not define. */
const metadataOf = (route: AppRoute) => (route.metadata ?? {}) as { security?: 'bearer'; html?: boolean }

const tags = {
  users: 'Sign up, log in and get the current user.',
  discovery: 'Keys and metadata for services that verify access tokens.',
  operations: 'Health checks and documentation.',
} satisfies Record<keyof typeof contract, string>

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
        'User management for multi-tenant products. Sign up and log in users in a database of a workspace, and send the access token with later requests.',
      contact: { name: 'The Usher authors' },
      license: { name: 'MIT', identifier: 'MIT' },
    })
    .addServer({
      url: '{baseUrl}',
      variables: { baseUrl: { default: baseUrl, description: 'Root URL of the service.' } },
    })
    .addSecurityScheme('bearer', {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'The `token.jwt` that sign-up and login return.',
    })
  const { schemas } = z.toJSONSchema(registry, {
    ...rendering,
    uri: (id) => `#/components/schemas/${id}`,
  })
  for (const [name, schema] of Object.entries(schemas))
    builder.addSchema(name, toOpenApiSchema({ ...schema }))
  for (const [name, header] of Object.entries(headers)) builder.addHeader(name, header)
  for (const [tag, description] of Object.entries(tags)) {
    builder.addTag({ name: tag, description })
    const router: AppRouter = contract[tag as keyof typeof contract]
    for (const [operationId, route] of Object.entries(router)) {
      if (!isAppRoute(route)) continue
      const path = route.path.replace(/:(\w+)/g, '{$1}')
      builder.addPath(path, { [route.method.toLowerCase()]: operationOf(builder, operationId, tag, route) })
    }
  }
  return builder.getSpec()
}
