import type { FieldRight } from '@usher/contract'

/** Returns the rights of fields that a body needs. */
export const rightsNeededBy = (body: unknown, fields: readonly FieldRight[] = []) =>
  fields.filter((field) => isNeeded(field, valueAt(body, field.name)))

const valueAt = (body: unknown, path: string) =>
  path.split('.').reduce((value, name) => Object(value)[name], body)

function isNeeded({ is, below }: FieldRight, value: unknown) {
  if (value === undefined) return false
  if (is !== undefined) return value === is
  return below === undefined || Number(value) < below
}
