import type { MediaTypeObject, OpenAPIObject, ResponseObject, SchemaObject } from 'openapi3-ts/oas31'

export const laterCode = 'email_blocked'
export const laterField = { addedLater: 'yes' }

/** Returns a later version of the document: with a new field in each response, a new code and a new operation. */
export function addToDocument(document: OpenAPIObject): OpenAPIObject {
  const later: OpenAPIObject = structuredClone(document)
  const schemas = (later.components?.schemas ?? {}) as Record<string, SchemaObject>
  for (const schema of Object.values(schemas)) {
    if (!schema.additionalProperties) continue
    schema.properties = { ...schema.properties, addedLater: { type: 'string' } }
    schema.required = [...(schema.required ?? []), 'addedLater']
  }
  const { EmailTaken } = (later.components?.responses ?? {}) as Record<string, ResponseObject>
  EmailTaken?.['x-problem-codes'].push(laterCode)
  schemas.ProblemCode?.['x-extensible-enum'].push(laterCode)
  schemas.FieldErrorCode?.['x-extensible-enum'].push(laterCode)
  const me = later.paths?.['/workspaces/{workspaceSlug}/databases/{databaseName}/users/me']
  if (!me?.get) throw new Error('no operation getMe')
  me.delete = { ...me.get, operationId: 'removeMe' }
  return later
}

/** Returns the body of a response in a later version: the example of the document, with the additions. */
export function laterBody(document: OpenAPIObject, name: 'SignedInUser' | 'User' | 'EmailTaken'): object {
  const { schemas = {}, responses = {} } = document.components ?? {}
  if (name !== 'EmailTaken') return { ...(schemas[name] as SchemaObject).examples?.[0], ...laterField }
  const { content = {} } = responses[name] as ResponseObject
  const { example } = content['application/problem+json'] as MediaTypeObject
  const error = { path: 'email', code: laterCode, detail: 'must not be blocked', ...laterField }
  return { ...example, code: laterCode, errors: [error], ...laterField }
}
