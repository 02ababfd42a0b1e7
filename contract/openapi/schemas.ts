import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas31'
import { z } from 'zod'
import { registry } from '../registry.js'
import { reference } from './components.js'
import { managementRoutes, routes } from './routes.js'

/** Returns the schema of a body that may be missing, or the schema itself. */
export const withoutOptional = <Schema>(schema: Schema) =>
  schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema

const requestBodies = new Set<unknown>(
  [...routes, ...managementRoutes].map(({ route }) => 'body' in route && withoutOptional(route.body)),
)

interface Rendered {
  zodSchema: z.core.$ZodType
  jsonSchema: z.core.JSONSchema.BaseSchema
}

const rendering = {
  metadata: registry,
  // Clients send the input: a body before default values are added.
  io: 'input',
  override: ({ zodSchema, jsonSchema }: Rendered) => {
    // The format already says what the pattern says.
    if (jsonSchema.format) delete jsonSchema.pattern
    // Generated clients take a boolean, and write it as one of the texts.
    if (jsonSchema.type === 'boolean') delete jsonSchema.enum
    // orval writes no valid code for an object whose only field is a constant.
    if ('const' in jsonSchema) {
      jsonSchema.enum = [jsonSchema.const as string]
      delete jsonSchema.const
    }
    const [nullable, nothing] = jsonSchema.anyOf ?? []
    const type = nullable?.type
    if (['string', 'integer', 'object', 'array'].includes(type as string) && nothing?.type === 'null') {
      Object.assign(jsonSchema, nullable, { type: [type, 'null'] })
      delete jsonSchema.anyOf
    }
    // Every name of a field is a string, and OpenAPI 3.0 has no such keyword.
    delete jsonSchema.propertyNames
    if ('isOpen' in jsonSchema) {
      jsonSchema['x-extensible-enum'] = jsonSchema.enum
      delete jsonSchema.enum
      delete jsonSchema.isOpen
    }
    // Tools that import requests read only the example of the media type.
    if (requestBodies.has(zodSchema)) delete jsonSchema.examples
    // Otherwise generated clients of some languages reject a field that a later version adds.
    else if (jsonSchema.type === 'object') jsonSchema.additionalProperties = true
  },
} as const

const toOpenApiSchema = ({ $schema, $id, '~standard': _, ...schema }: Record<string, unknown>) =>
  schema as SchemaObject

/** Returns every named schema of the contract. */
export function namedSchemas(): [name: string, schema: SchemaObject][] {
  const { schemas } = z.toJSONSchema(registry, {
    ...rendering,
    uri: (id) => reference('schemas', id).$ref,
  })
  return Object.entries(schemas).map(([name, schema]) => [name, toOpenApiSchema({ ...schema })])
}

/** Returns a reference to the component of a named schema or its clone, or the JSON Schema of an unnamed one. */
export function schemaOf(schema: z.ZodType): SchemaObject | ReferenceObject {
  const { parent = schema } = schema._zod
  const id = registry.get(schema)?.id ?? registry.get(parent)?.id
  if (id) return reference('schemas', id)
  const { description: _, ...inline } = toOpenApiSchema(z.toJSONSchema(schema, rendering))
  return inline
}
