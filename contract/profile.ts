import { z } from 'zod'
import { name } from './fields.js'
import { locale, maxLocaleLength } from './locale.js'
import { field } from './registry.js'

interface Described {
  description: string
  /** Schema of a value in a request. */
  schema: () => z.ZodString
  examples: [string]
  maxLength?: number
}

/**
 * The profile of a user: what the user, a backend and an operator may set. Sign-up, bodies, responses and lines of an import
 * have these fields, in this order. The store has their columns in server/store/queries/user-fields.ts.
 */
const profile = {
  preferredName: { description: 'Display name', schema: name, examples: ['Ada'] },
  locale: {
    description: 'Language of the mails to the user, as a BCP 47 tag',
    schema: locale,
    examples: ['en-GB'],
    maxLength: maxLocaleLength,
  },
} satisfies Record<string, Described>

type ProfileField = keyof typeof profile
export const profileFields = Object.keys(profile) as ProfileField[]

/** Returns an object with something for each field of the profile. */
const each = <Value>(valueFor: (described: Described, name: ProfileField) => Value) =>
  Object.fromEntries(
    Object.entries<Described>(profile).map(([name, described]) => [
      name,
      valueFor(described, name as ProfileField),
    ]),
  ) as Record<ProfileField, Value>

/**
 * Returns the fields of the profile in a request.
 *
 * @param note says what null means, and `notes` for single fields
 */
export const givenProfile = (note = '', notes: Partial<Record<ProfileField, string>> = {}) =>
  each(({ description, schema, ...more }, name) =>
    field(`${description}. ${notes[name] ?? note}`.trim(), schema().nullish(), more),
  )

/** Returns the fields of the profile in a response. */
export const shownProfile = (notes: Partial<Record<ProfileField, string>> = {}) =>
  each(({ description, examples }, name) =>
    field(`${description}, or null${notes[name] ?? ''}.`, z.string().nullable(), { examples }),
  )

/** The profile in examples. */
export const exampleProfile = each(({ examples }) => examples[0])
