import { type OpenAPIObject, OpenApiBuilder } from 'openapi3-ts/oas31'
import type { contract } from '../index.js'
import { headers } from './components.js'
import { operationOf } from './operation.js'
import { routes } from './routes.js'
import { namedSchemas } from './schemas.js'

const tags = {
  users: 'Sign up, log in and get the current user.',
  sessions:
    'Stay logged in, and log out. An operator can turn off `sessions`, `me` and `codes` for a database.',
  me: 'What users change about themselves.',
  codes: 'Mails with codes, to reset a password or verify an address.',
  discovery: 'Keys and metadata for services that verify access tokens.',
  service: 'Health checks and documentation.',
} satisfies Record<keyof typeof contract, string>

const description =
  'User management for multi-tenant products. Sign up and log in users in a database of a workspace, and send the access token with later requests. Later versions may add operations, fields and codes: ignore an unknown field, and treat an unknown code by its status. Every response has the header X-Request-Id, and every error Cache-Control: no-store.'

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
      description,
      contact: { name: 'The Usher authors' },
      license: { name: 'MIT', identifier: 'MIT' },
    })
    .addServer({ url: '{baseUrl}', description: 'This server' })
    .addSecurityScheme('bearer', {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'The `token.jwt` that sign-up and login return: a JWT by RFC 9068, verified by the rules of RFC8725.',
    })
  for (const [name, schema] of namedSchemas()) builder.addSchema(name, schema)
  for (const [name, header] of Object.entries(headers)) builder.addHeader(name, header)
  for (const [name, text] of Object.entries(tags)) builder.addTag({ name, description: text })
  for (const each of routes) {
    const path = each.route.path.replace(/:(\w+)/g, '{$1}')
    builder.addPath(path, { [each.route.method.toLowerCase()]: operationOf(builder, each) })
  }
  return JSON.parse(builder.getSpecAsJson(), (_key, value) =>
    typeof value === 'string' ? value.replace('{baseUrl}', baseUrl) : value,
  )
}

/** Returns the document of {@link openApiDocument} in OpenAPI 3.0. */
export const openApi30Document = (baseUrl: string, version: string) =>
  toOpenApi30(openApiDocument(baseUrl, version))

/** Returns an OpenAPI 3.1 document in OpenAPI 3.0, whose schemas differ from JSON Schema. */
function toOpenApi30({ info, ...rest }: OpenAPIObject): OpenAPIObject {
  const document = { ...rest, openapi: '3.0.3', info: { ...info, license: { name: 'MIT' } } }
  return JSON.parse(JSON.stringify(document), (_key, value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const { examples, ...schema } = value
    return {
      ...schema,
      ...(Array.isArray(value.type) && { type: value.type[0], nullable: true }),
      ...(Array.isArray(examples) ? { example: examples[0] } : examples && { examples }),
    }
  })
}
