import { z } from 'zod'
import { failsWith, mustBe } from './field-errors.js'
import { component, field, registry } from './registry.js'
import { withoutInvisible } from './typed-text.js'

export const notBlank = failsWith('blank', 'must not be blank')
export const atMost255 = failsWith('too_long', 'must have at most 255 characters')
export const unicode = failsWith('invalid_character', 'must be Unicode text without NUL')

/** Postgres cannot store NUL, and a lone surrogate is not Unicode text. */
export const isUnicode = (value: string) => !value.includes('\0') && value.isWellFormed()
export const text = () => z.string(mustBe('a string')).refine(isUnicode, unicode)

/** Returns the schema of a name: trimmed, 1 to 255 characters. */
export const name = () => text().trim().min(1, notBlank).max(255, atMost255)

export const notUuid = failsWith('invalid_type', 'must be a UUID')

/** Returns the schema of an id in a request. Converts it to lower case, because it is compared with the ids in tokens. */
export const id = (description: string, example = '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01') =>
  field(description, z.uuid(notUuid).toLowerCase(), { examples: [example], maxLength: 36 })

/** What every response about a user shows first. */
export const shownUser = {
  id: field('ID of the user.', z.uuid()),
  email: field('Email address, in Unicode NFC.', z.string(), { examples: ['ada@example.com'] }),
  preferredName: field('Display name, or null.', z.string().nullable(), { examples: ['Ada'] }),
}

/** What every response about a tenant shows first. */
export const shownTenant = {
  id: field('ID of the tenant.', z.uuid()),
  name: field('Name of the tenant. Names are not unique.', z.string(), { examples: ['Analytical Engines'] }),
}

/** Returns the schema of an object of the product in a response. */
export const metadata = (description: string) =>
  field(description, z.record(z.string(), z.unknown()).nullable(), { examples: [{ plan: 'pro' }] })

export const Password = text().min(1, notBlank)
/** What the OpenAPI document says about every password. */
export const password = { format: 'password', examples: ['correct horse battery'] }

/** A password that the policy of the database checks. */
export const NewPassword = Password.clone().register(registry, {
  ...password,
  description:
    'By default 8 to 256 characters after Unicode NFKC normalization, not a common password and not the email address. There are no composition rules.',
  maxLength: 256,
})

/** Returns the schema of a request body. The document shows its example. */
export const body = <Shape extends z.ZodRawShape>(
  { id, description, example }: { id: string; description: string; example: unknown },
  shape: Shape,
) => component({ id, description, examples: [example] }, z.object(shape, mustBe('an object')))

/** Returns the headers of an operation that takes an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header). */
export const idempotencyHeaders = (description: string) =>
  z.object({
    'idempotency-key': field(description, z.string().min(1, notBlank).max(255, atMost255).optional()),
  })

/** Example of a code in a mail. */
export const codeExample = '01a1fc6e-1b1c-4d5e-9b57-4d7b1c1f0a03.lBbG4TM5sKbzbjs5JhgVK0lGMNIhBe0gQgFOPqUyEMs'

/** Returns the schema of a text that the service has issued: a code or a refresh token. */
export const issuedText = () => z.string(mustBe('a string')).min(1, notBlank)

/** Returns a code without the line breaks and invisible characters that a mail program may add to it. */
const asCopied = (code: string) => withoutInvisible(code).replace(/\s/g, '')

/** Returns the schema of a code in a mail, or in the URL of a finished login. */
export const code = (description = 'The code in the mail: what follows `#code=` in its link.') =>
  field(description, z.string(mustBe('a string')).overwrite(asCopied).min(1, notBlank), {
    examples: [codeExample],
    maxLength: 16384,
  })

/** Returns the schema of a body that is only a code in a mail. */
export const codeBody = (id: string, description: string) =>
  body({ id, description, example: { code: codeExample } }, { code: code() })

/** Returns the schema of an instant in a response. */
export const instant = (description: string) => field(`${description} (RFC 3339, UTC).`, z.iso.datetime())
