import {
  type ComponentsObject,
  type OpenAPIObject,
  OpenApiBuilder,
  type SecuritySchemeObject,
} from 'openapi3-ts/oas31'
import type { contract } from '../index.js'
import type { managementContract } from '../management/index.js'
import { problems } from '../problems.js'
import { headers } from './components.js'
import { operationOf } from './operation.js'
import { managementRoutes, routes } from './routes.js'
import { namedSchemas } from './schemas.js'

const tags = {
  users: 'Sign up, log in and get the current user.',
  logins:
    'Log in or sign up by a mail. An operator turns it on for a database. Finish a login at a provider.',
  connections: 'Log in with an identity of a provider, such as Google. An operator adds the connections.',
  sessions:
    'Stay logged in, and log out. An operator can turn off `sessions`, `me`, `identities`, `factors`, `passkeys`, `codes` and `emailChange` for a database.',
  me: 'Change and delete the current user.',
  factors: 'Second factors, recovery codes, and confirmations of sensitive changes.',
  passkeys:
    'Log in with passkeys, and add them. They need a domain: that of the app, or another one that the operator sets.',
  identities: 'The identities of providers with which the current user logs in.',
  codes: 'Request mails with codes, and use the codes to reset a password or verify an address.',
  emailChange: 'Change the email address, and undo the change.',
  tenants:
    'Manage tenants: their members, roles and names. An operator can turn off `tenants` and `invitations` for a database.',
  invitations: 'Invite users to tenants by mail.',
  sso: 'Let members of a tenant log in with its identity provider. Owners set it up with a confirmation, or anyone with the token of a portal. An operator turns it on for a database.',
  features: 'What a database offers to the pages of an app.',
  work: 'The bot check of sign-ups and of mails that visitors request. An operator can turn it off for a database.',
  discovery: 'Keys and metadata for services that verify access tokens.',
  service: 'Health checks and documentation.',
} satisfies Record<keyof typeof contract, string>

const description =
  'User management for multi-tenant products. Sign up and log in users in a database of a workspace, and send the access token with later requests. Later versions may add operations, fields and codes: ignore an unknown field, and treat an unknown code by its status. Every response has the header X-Request-Id, and every error Cache-Control: no-store.'

interface Api {
  title: string
  description: string
  tags: Record<string, string>
  operations: typeof routes
  security: [name: string, scheme: SecuritySchemeObject]
}

const api: Api = {
  title: 'Usher',
  description,
  tags,
  operations: routes,
  security: [
    'bearer',
    {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'The `token.jwt` that sign-up and login return: a JWT (RFC 9068), verified as RFC8725 requires.',
    },
  ],
}

const managementApi: Api = {
  title: 'Usher management',
  description:
    'Manage the users and tenants of a database from the backend of a product. Send an API key, which an operator creates with `usher api-key create`. Never send it from a browser. An unknown query parameter or field of a body is an error. Later versions may add operations, fields and codes: ignore an unknown field of a response, and treat an unknown code by its status. Every response has the header X-Request-Id, and every error Cache-Control: no-store.',
  tags: {
    users: 'Manage the users of a database.',
    tenants: 'Manage the tenants of a database and their members.',
    invitations: 'Invite users to tenants by mail.',
    sso: 'Set up the single sign-on of tenants.',
    mailSettings: 'Decide how the mails of a database look.',
    events: 'Read changes, for backends that cannot receive webhooks.',
    revocations: 'Read which tokens are revoked, for backends that verify tokens themselves.',
    service: 'Documentation.',
  } satisfies Record<keyof typeof managementContract, string>,
  operations: managementRoutes,
  security: [
    'apiKey',
    { type: 'http', scheme: 'bearer', description: 'An API key, which begins with `usher_`.' },
  ],
}

/**
 * Returns the OpenAPI 3.1 document of the contract.
 *
 * @param baseUrl root URL of the API, without a slash at the end
 * @param version version of the API, for `info.version`
 */
export const openApiDocument = (baseUrl: string, version: string) => documentOf(api, baseUrl, version)

/** Returns the document of {@link openApiDocument} in OpenAPI 3.0. */
export const openApi30Document = (baseUrl: string, version: string) =>
  toOpenApi30(openApiDocument(baseUrl, version))

/** Returns the OpenAPI 3.1 document of the management API, with parameters as {@link openApiDocument}. */
export const managementDocument = (baseUrl: string, version: string) =>
  documentOf(managementApi, baseUrl, version)

/** Returns the document of {@link managementDocument} in OpenAPI 3.0. */
export const management30Document = (baseUrl: string, version: string) =>
  toOpenApi30(managementDocument(baseUrl, version))

function documentOf(
  { title, description, tags, operations, security }: Api,
  baseUrl: string,
  version: string,
): OpenAPIObject {
  const builder = OpenApiBuilder.create()
    .addOpenApiVersion('3.1.0')
    .addInfo({
      title,
      version,
      description,
      contact: { name: 'The Usher authors' },
      license: { name: 'MIT', identifier: 'MIT' },
    })
    .addServer({ url: '{baseUrl}', description: 'This server' })
    .addSecurityScheme(...security)
  for (const [name, schema] of namedSchemas()) builder.addSchema(name, schema)
  for (const [name, header] of Object.entries(headers)) builder.addHeader(name, header)
  for (const [name, text] of Object.entries(tags)) builder.addTag({ name, description: text })
  for (const each of operations) {
    const path = each.route.path.replace(/:(\w+)/g, '{$1}')
    builder.addPath(path, { [each.route.method.toLowerCase()]: operationOf(builder, each) })
  }
  const document = JSON.parse(builder.getSpecAsJson(), (_key, value) =>
    typeof value === 'string' ? value.replace('{baseUrl}', baseUrl) : value,
  )
  return withUsedSchemas(withUsedCodes(document))
}

type Document = OpenAPIObject & { components: ComponentsObject }

/** Problems of paths and methods that are not in the document. */
const codesOfUnknownRoutes = ['route_not_found', 'method_not_allowed']

/** Lists the codes that responses of the API may have. */
function withUsedCodes(document: Document): Document {
  const { schemas = {}, responses = {} } = document.components
  const used = new Set([...Object.values(responses).flatMap(codesOf), ...codesOfUnknownRoutes])
  const codes = Object.keys(problems).filter((code) => used.has(code))
  const ProblemCode = { ...schemas.ProblemCode, 'x-extensible-enum': codes }
  return { ...document, components: { ...document.components, schemas: { ...schemas, ProblemCode } } }
}

const codesOf = (response: object) => (response as { 'x-problem-codes'?: string[] })['x-problem-codes'] ?? []

/** Removes the schemas and headers that no operation uses. */
function withUsedSchemas(document: Document): OpenAPIObject {
  const { schemas = {}, headers = {}, ...others } = document.components
  const used = new Set<string>()
  const visit = (part: unknown) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(
      /"#\/components\/((?:schemas|headers)\/[\w-]+)"/g,
    )) {
      if (used.has(name)) continue
      used.add(name)
      const [kind, key = ''] = name.split('/')
      visit((kind === 'schemas' ? schemas : headers)[key] ?? null)
    }
  }
  visit([document.paths, others])
  const keep = <Each>(kind: string, all: Record<string, Each>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${kind}/${name}`)))
  const components = {
    ...document.components,
    schemas: keep('schemas', schemas),
    headers: keep('headers', headers),
  }
  return { ...document, components }
}

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
