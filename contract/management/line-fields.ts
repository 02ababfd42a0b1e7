import { z } from 'zod'
import { failsWith } from '../field-errors.js'
import { field } from '../registry.js'

const earliest = new Date(0)
const latest = new Date('9999-12-31T23:59:59.999Z')

/** Returns the schema of a time in a line. */
export const time = (description: string) =>
  field(
    description,
    z.iso
      .datetime({
        offset: true,
        ...failsWith('invalid_type', 'must be a time with a zone, such as 2026-01-31T09:30:00Z'),
      })
      .transform((text) => new Date(text))
      .refine(
        (time) => time >= earliest && time <= latest,
        failsWith('invalid_type', 'must be a time from 1970 to 9999'),
      )
      .nullish(),
  )
