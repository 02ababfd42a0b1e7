import { CreateUserBody } from '@usher/contract'
import { z } from 'zod'

const nil = '00000000-0000-0000-0000-000000000000'
const earliest = new Date(0)
const latest = new Date('9999-12-31T23:59:59.999Z')

const Id = z
  .uuid()
  .toLowerCase()
  .refine((id) => id !== nil, { error: 'must not be the nil UUID' })
const Name = CreateUserBody.shape.newTenant.unwrap()
const Time = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((time) => time >= earliest && time <= latest, { error: 'must be a time from 1970 to 9999' })

/**
 * A user as one line of a file: what `usher user export` writes and `usher user import` reads. Null is as good
 * as absent. A field of another name is refused: it might be a password hash, spelled otherwise, and lost.
 */
export const UserLine = z.strictObject({
  /** Absent: one is made. */
  id: Id.nullish(),
  email: CreateUserBody.shape.email,
  /** Absent: no password logs this user in. */
  passwordHash: z.string().nullish(),
  preferredName: Name.nullish(),
  /** In the order of joining. A tenant whose id is there already is that tenant, name and all. */
  tenants: z
    .array(
      z.strictObject({
        id: Id.nullish(),
        name: Name,
        /** Absent: as the user. */
        createdAt: Time.nullish(),
        /** Absent: when the user was created. */
        joinedAt: Time.nullish(),
      }),
    )
    .nullish(),
  disabledAt: Time.nullish(),
  /** Tokens issued before are not accepted. */
  tokensValidAfter: Time.nullish(),
  /** Absent: now. */
  createdAt: Time.nullish(),
})
export type UserLine = z.output<typeof UserLine>

/** What a line must not be taken for: the message is for the operator and never shows a hash. */
export class LineError extends Error {}

/** The user of a line. @throws {LineError} that names every fault */
export function readUserLine(text: string): UserLine {
  const { data, error } = UserLine.safeParse(jsonOf(text))
  if (data) return data
  const faults = error?.issues.map(({ path, message }) =>
    [path.join('.'), message].filter(Boolean).join(': '),
  )
  throw new LineError(faults?.join('; '))
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new LineError('is not JSON')
  }
}
