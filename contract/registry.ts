import { z } from 'zod'

interface Documentation {
  /** Name of the component in the OpenAPI document. A schema without one is written inline. */
  id?: string
  description?: string
  examples?: unknown[]
  format?: string
  maxLength?: number
  /** Whether later versions may add values to an enumeration: a client must accept any other. */
  isOpen?: boolean
}

/** What the OpenAPI document says about each schema of the contract. */
export const registry = z.registry<Documentation>()
