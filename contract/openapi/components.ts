import type { HeaderObject, ReferenceObject } from 'openapi3-ts/oas31'
import type { ProblemHeader } from '../problems.js'

type ComponentKind = 'schemas' | 'headers' | 'links' | 'parameters' | 'responses'

/** Returns a reference to a component of the document. */
export const reference = (kind: ComponentKind, name: string): ReferenceObject => ({
  $ref: `#/components/${kind}/${name}`,
})

export const pascalCase = (name: string) =>
  name.replace(/(?:^|[_-])([a-z])/g, (_, letter: string) => letter.toUpperCase())

type HeaderName = ProblemHeader | 'Cache-Control' | 'ETag'

export const headers: Record<HeaderName, HeaderObject & { example: string | number }> = {
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
  ETag: {
    description: 'Strong ETag of the fields that can be changed (RFC 9110 section 8.8.3), for `If-Match`.',
    schema: { type: 'string' },
    example: '"MV9b23bQeMQ7isAGTkoBZGErH853yGk0W_yUx1iU7dM"',
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

/** Returns references to the headers of a response. */
export const headersOf = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, reference('headers', name)]))

export const html = { 'text/html': { schema: { type: 'string' } } } as const
