import { CreateUserBody, Email } from '@usher/contract'
import { z } from 'zod'

const nil = '00000000-0000-0000-0000-000000000000'
const earliest = new Date(0)
const latest = new Date('9999-12-31T23:59:59.999Z')

const Id = z
  .uuid()
  .toLowerCase()
  .refine((id) => id !== nil, { error: 'must not be the nil UUID' })
const Name = CreateUserBody.shape.newTenant.unwrap().unwrap()
const Time = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((time) => time >= earliest && time <= latest, { error: 'must be a time from 1970 to 9999' })

/**
 * A user as one line of a file: `usher user export` writes it and `usher user import` reads it. Null means absent.
 * Unknown fields are rejected: a misspelled `passwordHash` would be lost.
 */
export const UserLine = z.strictObject({
  /** Default: a new id. */
  id: Id.nullish(),
  email: Email,
  /** Without it the user cannot log in with any password. */
  passwordHash: z.string().nullish(),
  preferredName: Name.nullish(),
  /** In order of joining. For an existing id the name is ignored. */
  tenants: z
    .array(
      z.strictObject({
        id: Id.nullish(),
        name: Name,
        /** Default: that of the user. */
        createdAt: Time.nullish(),
        /** Default: that of the user. */
        joinedAt: Time.nullish(),
      }),
    )
    .nullish(),
  emailVerifiedAt: Time.nullish(),
  disabledAt: Time.nullish(),
  /** Tokens issued earlier are rejected. */
  tokensValidAfter: Time.nullish(),
  /** Default: now. */
  createdAt: Time.nullish(),
})
export type UserLine = z.output<typeof UserLine>

/** Why a line is rejected. The message is for the operator and never shows a hash. */
export class LineError extends Error {}

/** @throws {LineError} with every error in the line */
export function readUserLine(text: string): UserLine {
  const { data, error } = UserLine.safeParse(jsonOf(text))
  if (data) return data
  const errors = error?.issues.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(': '),
  )
  throw new LineError(errors?.join('; '))
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new LineError('is not JSON')
  }
}
