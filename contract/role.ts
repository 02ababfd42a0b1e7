import { z } from 'zod'
import { failsWith } from './field-errors.js'
import { notBlank, text } from './fields.js'
import { field } from './registry.js'

/** Returns the schema of a role in a request. */
export const role = () =>
  field(
    '`owner`, `admin`, `member` or a role of the database.',
    text().min(1, notBlank).max(32, failsWith('too_long', 'must have at most 32 characters')),
    { examples: ['admin'] },
  )

/** Returns the schema of a role in a response. */
export const shownRole = (description: string) =>
  field(`${description} \`owner\`, \`admin\`, \`member\` or a role of the database.`, z.string(), {
    examples: ['member'],
  })
