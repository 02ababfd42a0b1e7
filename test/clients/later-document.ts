import type {
  ExampleObject,
  MediaTypeObject,
  OpenAPIObject,
  ReferenceObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31'

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
  conflictOf(later)['x-problem-codes'].push(laterCode)
  schemas.ProblemCode?.['x-extensible-enum'].push(laterCode)
  schemas.FieldErrorCode?.['x-extensible-enum'].push(laterCode)
  const me = later.paths?.['/workspaces/{workspaceSlug}/databases/{databaseName}/users/me']
  if (!me?.get) throw new Error('no operation getMe')
  me.delete = { ...me.get, operationId: 'removeMe' }
  return later
}

/** Returns the body of a response in a later version: the example of the document, with the additions. */
export function laterBody(document: OpenAPIObject, name: 'SignedInUser' | 'User' | 'EmailTaken'): object {
  const { schemas = {} } = document.components ?? {}
  if (name !== 'EmailTaken') return { ...(schemas[name] as SchemaObject).examples?.[0], ...laterField }
  const media: MediaTypeObject | undefined = conflictOf(document).content?.['application/problem+json']
  const example = (media?.examples?.email_taken as ExampleObject | undefined)?.value
  const error = { path: 'email', code: laterCode, detail: 'must not be blocked', ...laterField }
  return { ...example, code: laterCode, errors: [error], ...laterField }
}

/** Returns the response of `createUser` with status 409. */
function conflictOf({ paths, components }: OpenAPIObject) {
  const users = paths?.['/workspaces/{workspaceSlug}/databases/{databaseName}/users']
  const conflict: ReferenceObject | undefined = users?.post?.responses?.['409']
  return components?.responses?.[conflict?.$ref.split('/').at(-1) ?? ''] as ResponseObject
}
