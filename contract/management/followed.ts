import { z } from 'zod'
import { failsWith } from '../field-errors.js'
import { page } from '../page.js'
import { field } from '../registry.js'

const waitText = failsWith('invalid_type', 'must be a whole number from 0 to 25')

/** Returns the query parameters of a list that clients follow with a cursor. @param item such as `event` */
export const followed = (item: string) => ({
  limit: page.limit,
  after: field(
    `\`next\` of an earlier response: start after it. Without it, start with the oldest ${item}.`,
    z
      .string()
      .regex(
        /^[\w-]{1,32}\.\d{1,15}(?:\.[\da-f]{12})?$/,
        failsWith('invalid_type', 'must be `next` of an earlier response'),
      )
      .optional(),
    { maxLength: 61 },
  ),
  wait: field(
    `Seconds to wait if there is no ${item}, 0 to 25. Default: 0.`,
    z
      .string(waitText)
      .regex(/^(?:\d|1\d|2[0-5])$/, waitText)
      .transform(Number)
      .optional(),
    { examples: [25], type: 'integer', format: 'int32', minimum: 0, maximum: 25 },
  ),
})

/** Returns the fields of a response with which a client continues. @param items such as `events` */
export const nextPlace = (items: string) => ({
  next: field(`The \`after\` of the next request, even if there are no ${items}.`, z.string(), {
    examples: ['Zx3b9QmWk1Lp.42.5f0c2f7f3c11'],
  }),
  moreAvailable: field(`Whether the next request returns ${items} immediately.`, z.boolean()),
})
