import { CreateUserBody, Email } from '@usher/contract'
import { AddTenantBody } from '@usher/contract/management'
import { v7 as uuidv7 } from 'uuid'
import { z } from 'zod'
import type { NewUser, UserToExport } from '../../../store/queries/management/bulk.js'
import type { ProductFields } from '../../../store/queries/users.js'
import { isDummyHash } from '../../passwords/formats/read-hash.js'
import { requireCanonicalEmail } from '../../users/canonical-email.js'

const nil = '00000000-0000-0000-0000-000000000000'
const earliest = new Date(0)
const latest = new Date('9999-12-31T23:59:59.999Z')

const Id = z
  .uuid({ error: 'must be a UUID' })
  .toLowerCase()
  .refine((id) => id !== nil, { error: 'must not be the nil UUID' })
const Name = CreateUserBody.shape.newTenant.unwrap().unwrap()
const Time = z.iso
  .datetime({ offset: true, error: 'must be a time with a zone, such as 2026-01-31T09:30:00Z' })
  .transform((text) => new Date(text))
  .refine((time) => time >= earliest && time <= latest, { error: 'must be a time from 1970 to 9999' })

const { name: _, ...productFields } = AddTenantBody.shape

const ofObject = {
  error: (issue: z.core.$ZodRawIssue) =>
    issue.code === 'unrecognized_keys' ? `has unknown fields: ${issue.keys.join(', ')}` : 'must be an object',
}

/**
 * A user as one line of a file: `usher user export` writes it and `usher user import` reads it. Null means absent.
 * Unknown fields are rejected, because a misspelled `passwordHash` would be lost.
 */
export const UserLine = z.strictObject(
  {
    /** Default: a new id. */
    id: Id.nullish(),
    email: Email,
    /** Without it the user cannot log in with any password. */
    passwordHash: z.string({ error: 'must be a string' }).nullish(),
    preferredName: Name.nullish(),
    ...productFields,
    /** In order of joining. For an existing id the name is ignored. */
    tenants: z
      .array(
        z.strictObject(
          {
            id: Id.nullish(),
            name: Name,
            ...productFields,
            /** Default: the `createdAt` of the user. */
            createdAt: Time.nullish(),
            /** Default: the `createdAt` of the user. */
            joinedAt: Time.nullish(),
          },
          ofObject,
        ),
        { error: 'must be a list' },
      )
      .nullish(),
    emailVerifiedAt: Time.nullish(),
    disabledAt: Time.nullish(),
    /** Tokens issued earlier are rejected. */
    tokensValidAfter: Time.nullish(),
    /** Default: now. */
    createdAt: Time.nullish(),
  },
  ofObject,
)
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

/** Returns the rows that a line adds. */
export function rowOf({ tenants, ...user }: UserLine, passwordHash: string, now: Date): NewUser {
  const createdAt = user.createdAt ?? now
  return {
    user: {
      id: user.id ?? uuidv7(),
      email: user.email,
      canonicalEmail: requireCanonicalEmail(user.email),
      passwordHash,
      preferredName: user.preferredName ?? null,
      ...productFieldsOf(user),
      emailVerifiedAt: user.emailVerifiedAt ?? null,
      disabledAt: user.disabledAt ?? null,
      // Also if the line has the id of a deleted user, whose tokens stay rejected.
      generation: now.getTime(),
      tokensValidAfter: user.tokensValidAfter ?? null,
      createdAt,
    },
    tenants: (tenants ?? []).map((tenant, index) => ({
      id: tenant.id ?? uuidv7(),
      name: tenant.name,
      ...productFieldsOf(tenant),
      createdAt: tenant.createdAt ?? createdAt,
      // One millisecond apart, so that tenants keep the order of the line.
      joinedAt: tenant.joinedAt ?? new Date(createdAt.getTime() + index),
    })),
  }
}

type GivenFields = { [Name in keyof ProductFields]?: ProductFields[Name] | undefined }

const productFieldsOf = ({ externalId, metadata, privateMetadata }: GivenFields) => ({
  externalId: externalId ?? null,
  metadata: metadata ?? null,
  privateMetadata: privateMetadata ?? null,
})

const presentFieldsOf = ({ externalId, metadata, privateMetadata }: GivenFields) => ({
  ...(externalId && { externalId }),
  ...(metadata && { metadata }),
  ...(privateMetadata && { privateMetadata }),
})

/** Returns the line of a user, without absent fields. */
export const lineOf = (user: UserToExport): UserLine => ({
  id: user.id,
  email: user.email,
  ...(!isDummyHash(user.passwordHash) && { passwordHash: user.passwordHash }),
  ...(user.preferredName !== null && { preferredName: user.preferredName }),
  ...presentFieldsOf(user),
  ...(user.tenants.length > 0 && {
    tenants: user.tenants.map((tenant) => ({
      id: tenant.id,
      name: tenant.name,
      ...presentFieldsOf(tenant),
      createdAt: new Date(tenant.createdAt),
      joinedAt: new Date(tenant.joinedAt),
    })),
  }),
  ...(user.emailVerifiedAt && { emailVerifiedAt: user.emailVerifiedAt }),
  ...(user.disabledAt && { disabledAt: user.disabledAt }),
  ...(user.tokensValidAfter && { tokensValidAfter: user.tokensValidAfter }),
  createdAt: user.createdAt,
})
