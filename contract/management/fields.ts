import { z } from 'zod'
import { DatabasePath, databasePath } from '../database-path.js'
import { hasExactNumbers, inexact } from '../exact-numbers.js'
import { databaseProblems, withoutBodyProblems } from '../failures.js'
import { type FieldErrorCode, failsWith, mustBe } from '../field-errors.js'
import {
  atMost255,
  id,
  idempotencyHeaders,
  isUnicode,
  notBlank,
  metadata as shownMetadata,
  text,
  unicode,
} from '../fields.js'
import { page } from '../page.js'
import { component, field } from '../registry.js'

/** Path of the management API of a database. */
export const managementPath = `${databasePath}/management`

/** Path of a user. */
export const userPath = `${managementPath}/users/:userId` as const

/** Path parameters that identify a user. */
export const UserPath = DatabasePath.extend({ userId: id('ID of the user.') })

/** Returns the schema of an object that rejects unknown fields, because a misspelt filter would return all users. */
export const strict = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => {
      const { error } =
        issue.code === 'unrecognized_keys'
          ? failsWith('invalid_type', `has unknown fields: ${issue.keys.join(', ')}`)
          : mustBe('an object')
      return error(issue)
    },
  })

/** Returns the schema of a request body. The document shows its example. An unknown field is an error. */
export const body = <Shape extends z.ZodRawShape>(
  { id, description, example }: { id: string; description: string; example: unknown },
  shape: Shape,
) => component({ id, description, examples: [example] }, strict(shape))

export const notFlag = failsWith('invalid_type', 'must be true or false')

/** Returns the schema of a field that is true or false. */
export const flag = (description: string) => field(description, z.boolean(notFlag).optional())

const externalIdText = () => text().min(1, notBlank).max(255, atMost255)

/** Returns the query parameter that finds an item by its external id. */
export const externalIdFilter = () =>
  field('Only the item with this external id.', externalIdText().optional())

/** Returns the query parameter that finds items by the start of their name. */
export const namePrefixFilter = () =>
  field(
    'Only the items whose name begins with this text, ignoring case. Ordered by name.',
    text().min(1, notBlank).max(255, atMost255).optional(),
  )

const metadataBytes = 8192
const metadataDepth = 32

/** Returns whether each text of a JSON value can be stored. Deeper values are refused, because readers of JSON recurse. */
function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return isUnicode(value)
  if (typeof value !== 'object' || value === null) return true
  return (
    depth < metadataDepth &&
    Object.entries(value).every(([key, each]) => isUnicode(key) && isStorable(each, depth + 1))
  )
}

/** Returns the length of a JSON value in UTF-8. */
const bytesOf = (value: unknown) =>
  encodeURIComponent(JSON.stringify(value)).replace(/%[\dA-F]{2}/g, ' ').length

const metadata = (description: string) =>
  field(
    `${description} A JSON object of at most 8 KiB and 32 levels, replaced as a whole. Write whole numbers beyond 2^53 as texts. Null removes it.`,
    z
      .record(z.string(), z.unknown(), failsWith('invalid_type', 'must be an object'))
      .refine((value) => isStorable(value), { ...unicode, abort: true })
      .refine(hasExactNumbers, failsWith('invalid_type', inexact))
      .refine(
        (value) => bytesOf(value) <= metadataBytes,
        failsWith('invalid_type', `must have at most ${metadataBytes} bytes as JSON`),
      )
      .nullish(),
    { examples: [{ plan: 'pro' }] },
  )

/** Fields for data of the product about a user or a tenant. */
export const productFields = () => ({
  externalId: field(
    'The id in the product. Unique in the database among users, and among tenants. Null removes it.',
    externalIdText().nullish(),
    { examples: ['customer-17'] },
  ),
  metadata: metadata('Shown to the user. That of a tenant is shown to its members.'),
  privateMetadata: metadata('Shown only by the management API.'),
})

/** Bytes of a body: two objects of 8 KiB, which may be written with escapes, and other fields. */
export const managementBytes = 65_536

/** Returns the schema of the private object of a user or tenant in a response. */
export const privateMetadata = () =>
  shownMetadata('An object of the product that only the management API shows, or null.')

/** Returns the schema of an external id in a response. */
export const externalId = () =>
  field('The id in the product, or null.', z.string().nullable(), { examples: ['customer-17'] })

/** Returns a refinement that adds an error for each item with the value of an earlier one. @param other names the earlier value */
export const refuseRepeated =
  <Field extends string>(field: Field, other: string) =>
  (
    items: readonly { readonly [Name in Field]?: string | null | undefined }[],
    context: z.core.$RefinementCtx,
  ) => {
    const seen = new Set<string>()
    for (const [index, { [field]: input }] of items.entries()) {
      if (input == null) continue
      const reported = {
        message: `must not be the ${other}`,
        fieldErrorCode: 'invalid_type' satisfies FieldErrorCode,
      }
      if (seen.has(input)) context.addIssue({ code: 'custom', path: [index, field], input, ...reported })
      seen.add(input)
    }
  }

/** Headers of every POST. */
export const IdempotencyHeaders = idempotencyHeaders(
  'A unique value, such as a UUID, that the client generates for each request. A retry within 24 hours with the same API key, path and body changes nothing and returns the response of the first request, with null in place of a secret.',
)
export type IdempotencyHeaders = z.infer<typeof IdempotencyHeaders>

/** Headers of an operation that changes a resource with an ETag (RFC 9110 section 13.1.1). */
export const IfMatchHeaders = z.object({
  'if-match': field(
    'The ETag of an earlier response. If the resource has changed since, nothing changes and the status is 412.',
    z.string().max(1024).optional(),
  ),
})

/** Returns the schema of a query parameter that asks for more in the response. */
export const yes = (description: string) =>
  field(description, z.literal('true', failsWith('invalid_type', 'must be true')).optional())

/** Query of an operation that has no parameters. */
export const NoQuery = strict({})

/** Query of a list without filters. */
export const PageQuery = strict(page)
export type PageQuery = z.infer<typeof PageQuery>

/** Problems of every operation of the management API. */
export const keyProblems = [
  'key_invalid',
  'insufficient_scope',
  'validation_failed',
  ...databaseProblems,
] as const

/** Problems of every operation that changes something. Clients may send a body with any of them. */
export const writeProblems = [...withoutBodyProblems, ...keyProblems] as const

/** Problems of every POST. */
export const postProblems = ['idempotency_key_reused', ...writeProblems] as const
