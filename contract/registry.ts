import { z } from 'zod'

interface Documentation {
  /** Name of the component in the OpenAPI document. A schema without one is written inline. */
  id?: string
  description?: string
  examples?: unknown[]
  format?: string
  maxLength?: number
  /** Type of a query parameter, which a URL has as text. */
  type?: 'integer' | 'boolean'
  minimum?: number
  maximum?: number
  /** Whether later versions may add values to an enumeration: a client must accept any other. */
  isOpen?: boolean
}

/** What the OpenAPI document says about each schema of the contract. */
export const registry = z.registry<Documentation>()

/** Describes a field, and returns its schema. */
export const field = <Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  more: Omit<Documentation, 'id' | 'description'> = {},
): Schema => {
  registry.add(schema, { description, ...more })
  return schema
}

/** Describes a component of the document, and returns its schema. */
export const component = <Schema extends z.ZodType>(
  { id, description, ...more }: Documentation & { id: string; description: string },
  schema: Schema,
): Schema => {
  registry.add(schema, { id, description, ...more })
  return schema
}
