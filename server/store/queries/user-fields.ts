// What callers set of a user. Statements are made from these tables.

/** The fields that contract/profile.ts describes. */
const profile = {
  preferredName: { column: 'preferred_name', type: 'text' },
  locale: { column: 'locale', type: 'text' },
}

const product = {
  externalId: { column: 'external_id', type: 'text' },
  metadata: { column: 'metadata', type: 'json' },
  privateMetadata: { column: 'private_metadata', type: 'json' },
}

/** The profile of a user: what the user sets too. */
export type Profile = Record<keyof typeof profile, string | null>
/** What callers set of a user. */
export type UserFields = Profile & ProductFields

/** Some fields. An absent one is null. */
type Given<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined }

export const profileFields = Object.keys(profile) as (keyof Profile)[]
export const userFields = [...profileFields, ...Object.keys(product)] as (keyof UserFields)[]
export const userFieldColumns = { ...profile, ...product }

/** Returns a list in a statement, with a text for each field. */
export const listOf = (
  fields: readonly (keyof UserFields)[],
  textOf: (field: { name: string; column: string; type: string; index: number }) => string,
) => fields.map((name, index) => textOf({ ...userFieldColumns[name], name, index })).join(', ')

/** Returns fields of user `u` in a SELECT. */
export const selected = (fields: readonly (keyof UserFields)[]) =>
  listOf(fields, ({ column, name }) => `u.${column} AS "${name}"`)

/** Returns the values of {@link userFields} as parameters. */
export const parametersOf = (user: UserFields) =>
  userFields.map((name) => {
    const value = user[name]
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : value
  })

/** Returns the profile among other fields. A loop, because it takes a quarter of the time of `Object.fromEntries`. */
export function profileOf(given: Given<Profile>) {
  const profile = {} as Profile
  for (const name of profileFields) profile[name] = given[name] ?? null
  return profile
}

/** Returns what callers set of a user, among other fields. */
export const userFieldsOf = (given: Given<UserFields>): UserFields => ({
  ...profileOf(given),
  ...productFieldsOf(given),
})

/** Returns what a product adds to a user or a tenant, among other fields. */
export const productFieldsOf = ({
  externalId = null,
  metadata = null,
  privateMetadata = null,
}: Given<ProductFields>): ProductFields => ({ externalId, metadata, privateMetadata })

/** A JSON object of the product. The store has its text, and the driver parses it unless it is null. */
export type ProductObject = Record<string, unknown>

/** What a product adds to a user or a tenant. */
export interface ProductFields {
  /** The id in the product, unique in the database. */
  externalId: string | null
  metadata: ProductObject | null
  privateMetadata: ProductObject | null
}
