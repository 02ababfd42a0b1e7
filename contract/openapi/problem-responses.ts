import type { AppRoute } from '@ts-rest/core'
import type { OpenApiBuilder, ReferenceObject } from 'openapi3-ts/oas31'
import { bodyProblems, tokenProblems } from '../failures.js'
import { type ProblemCode, problemHeaders, problems } from '../problems.js'
import { headersOf, html, pascalCase, reference } from './components.js'
import { metadataOf } from './routes.js'

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
      .replace(/:\w+Id\b/g, '01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03')
      .replace(':code', 'unknown'),
    code,
    requestId: 'req-7f3a',
    ...(errors && { errors }),
  }
}

function examplesOf([first, ...others]: readonly ProblemCode[], route: AppRoute) {
  const code = first as ProblemCode
  if (others.length === 0) return { example: problemExample(code, route) }
  const examples = [code, ...others].map((each) => [each, { value: problemExample(each, route) }])
  return { examples: Object.fromEntries(examples) }
}

/** Names of responses that have at least these codes. */
const sharedNames: Record<string, readonly string[]> = {
  BadRequest: [...bodyProblems, 'malformed_request'].filter(
    (code) => problems[code as ProblemCode].status === 400,
  ),
  Unauthorized: tokenProblems,
  NotFound: ['route_not_found', 'database_not_found'],
}

/** Returns the name of the response with these codes, such as `BadRequest` or `UnauthorizedInvalidCredentials`. */
function responseName(codes: readonly string[]) {
  const isSubset = ([, named]: [string, readonly string[]]) => named.every((code) => codes.includes(code))
  const [name = '', named = []] = Object.entries(sharedNames).find(isSubset) ?? []
  const others = codes.filter((code) => !named.includes(code))
  return name + others.map(pascalCase).join('')
}

/**
 * Adds the response with these problems to the components and returns a reference to it. Its schema is that of all
 * problems, because generators write a class for each schema.
 */
export function problemResponse(
  builder: OpenApiBuilder,
  codes: ProblemCode[],
  route: AppRoute,
): ReferenceObject {
  const isPage = metadataOf(route).html && codes.includes('route_not_found')
  const name = responseName(codes)
  const extra = codes.flatMap(problemHeaders)
  builder.addResponse(name, {
    description: codes.map((code) => problems[code].title).join(', or '),
    ...(extra.length > 0 && { headers: headersOf([...new Set(extra)]) }),
    content: {
      'application/problem+json': { schema: reference('schemas', 'Problem'), ...examplesOf(codes, route) },
      ...(isPage && html),
    },
    'x-problem-codes': codes,
  })
  return reference('responses', name)
}
