import { type OpenAPIObject, OpenApiBuilder } from 'openapi3-ts/oas31'
import type { contract } from '../index.js'
import { headers } from './components.js'
import { operationOf } from './operation.js'
import { routes } from './routes.js'
import { namedSchemas } from './schemas.js'
import { toOpenApi30 } from './version-3.0.js'

const tags = {
  users: 'Sign up, log in and get the current user.',
  sessions:
    'Stay logged in, and log out. An operator may turn these off for a database, as `me` and `codes`.',
  me: 'What users change about themselves.',
  codes: 'Mails with codes: forgotten passwords and verified addresses.',
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
      description: 'The `token.jwt` that sign-up and login return: RFC 9068, verified by RFC8725.',
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
