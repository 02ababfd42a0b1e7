import fc from 'fast-check'
import { z } from 'zod'
import { registry } from '../../../contract/registry.js'

/** Marks texts of clients, so that tests find them in responses and logs. */
export const mark = (field: string) => `${field}-xyzzy`

/**
 * Values that match a schema of the contract. Texts contain the mark of their field.
 */
export function valuesOf(schema: z.ZodType, field = ''): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries<z.ZodType>(schema.shape)
    const model = Object.fromEntries(shape.map(([name, each]) => [name, valuesOf(each, name)]))
    const requiredKeys = shape.filter(([, each]) => !each.safeParse(undefined).success).map(([name]) => name)
    return fc.record(model, { requiredKeys })
  }
  // The caller leaves the field out, too.
  if (schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodObject)
    return valuesOf(schema.unwrap() as z.ZodObject)
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options)
  if (isSixDigits(schema))
    return fc.oneof(digits, fc.constant(null)).filter((value) => accepts(schema, value))
  return candidates(z.toJSONSchema(schema, { io: 'input', metadata: registry }), field).filter((value) =>
    accepts(schema, value),
  )
}

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

/** Six digits have no pattern, because people write them in many ways. No other text would be one of them. */
const isSixDigits = (schema: z.ZodType) => accepts(schema, '240618') && !accepts(schema, '24061')
const digits = fc.stringMatching(/^ ?\d{3}[ -]?\d{3} ?$/)

/** Throws on a kind of schema that it does not support. */
function candidates(schema: z.core.JSONSchema.BaseSchema, field: string): fc.Arbitrary<unknown> {
  const named = Object.values(schema.$defs ?? {})[0]
  if (named) return candidates(named, field)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => candidates(each, field)))
  const type: unknown = schema.type
  if (Array.isArray(type))
    return fc.oneof(...type.map((each) => candidates({ ...schema, type: each }, field)))
  if (schema.type === 'null') return fc.constant(null)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.format === 'idn-email') return emails(field)
  if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern))
  if (schema.type === 'string') return marked(texts, field)
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'integer') return fc.integer({ min: schema.minimum, max: schema.maximum })
  if (schema.type === 'array')
    return fc.array(candidates(schema.items as typeof schema, field), { maxLength: 3 })
  if (schema.type === 'object') {
    const properties = Object.entries(schema.properties ?? {}) as [string, typeof schema][]
    const model = Object.fromEntries(properties.map(([name, each]) => [name, candidates(each, name)]))
    return fc.record(model, { requiredKeys: schema.required ?? [] })
  }
  throw new Error(`no values for ${JSON.stringify(schema)}`)
}

/** Unicode texts, including NUL. */
const texts = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
)

const marked = (text: fc.Arbitrary<string>, field: string) =>
  fc.oneof(
    { weight: 1, arbitrary: fc.nat(19).map((number) => `${mark(field)}-${number}`) },
    { weight: 2, arbitrary: text.map((each) => `${mark(field)}${each}`) },
    { weight: 1, arbitrary: text },
  )

const locals = fc.oneof(fc.stringMatching(/^[a-z0-9+_]{1,20}$/), fc.stringMatching(/^[\u00c0-\u024f]{1,9}$/))
const domains = fc.oneof(
  fc.domain(),
  fc.constantFrom('example.com', 'EXAMPLE.com', 'bücher.example', '例え.jp'),
)

const emails = (field: string) =>
  fc.oneof(
    fc.nat(19).map((number) => knownEmail(number, field)),
    fc.tuple(marked(locals, field), domains).map((parts) => parts.join('@')),
    fc.emailAddress(),
  )

/** Emails and passwords of accounts. Requests also use some that do not exist. */
export const knownEmail = (number: number, field = 'email') => `${mark(field)}-${number}@example.com`
export const knownPassword = (number: number) => `${mark('password')}-${number}`
