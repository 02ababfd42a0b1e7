import type { OpenAPIObject } from 'openapi3-ts/oas31'

/** Returns an OpenAPI 3.1 document in OpenAPI 3.0, which has a JSON Schema of its own. */
export function toOpenApi30({ info, ...rest }: OpenAPIObject): OpenAPIObject {
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
