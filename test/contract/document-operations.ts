import type { OpenAPIObject, ReferenceObject, ResponseObject } from 'openapi3-ts/oas31'

export interface DocumentedOperation {
  method: string
  path: string
  operationId: string
  summary?: string
  description?: string
  security: unknown[]
  parameters?: { $ref: string }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, ResponseObject | ReferenceObject>
}

interface Media {
  schema: object & { $ref?: string }
  example?: unknown
}

/** Returns every operation of a document, with its path. */
export const operationsOf = ({ paths = {} }: OpenAPIObject) =>
  Object.entries(paths as Record<string, Record<string, DocumentedOperation>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )

/** Returns the responses of an operation with a problem, by status. */
export const errorsOf = ({ responses }: DocumentedOperation) =>
  Object.entries(responses).filter(([status]) => !/^[123]/.test(status))
