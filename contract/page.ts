import { z } from 'zod'
import { failsWith } from './field-errors.js'
import { field } from './registry.js'

const limitText = failsWith('invalid_type', 'must be a whole number from 1 to 1000')

/** Query parameters of a list. */
export const page = {
  limit: field(
    'Maximum number of items in a page, 1 to 1000. Default: 50.',
    z
      .string(limitText)
      .regex(/^(?:[1-9]\d{0,2}|1000)$/, limitText)
      .transform(Number)
      .optional(),
    { examples: [50], type: 'integer', format: 'int32', minimum: 1, maximum: 1000 },
  ),
  after: field(
    '`next` of the previous page: start after its last item.',
    z.uuid(failsWith('invalid_type', 'must be `next` of an earlier response')).optional(),
  ),
}

const notCursor = failsWith('invalid_type', 'must be `next` of an earlier response')

/** Returns `after` of a list that is ordered by a text if it has a filter: an id, or the text and an id in base64url. */
export const afterText = () =>
  field(
    '`next` of the previous page: start after its last item.',
    z
      .string(notCursor)
      .regex(/^[\w-]{1,2400}$/, notCursor)
      .optional(),
    { maxLength: 2_400 },
  )

/** Returns the schema of `next` of a page. */
export const next = () =>
  field('The `after` of the next page; null if this is the last one.', z.string().nullable())
