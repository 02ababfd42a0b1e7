import { toFieldError } from '@usher/contract'
import { UserLine } from '@usher/contract/management'
import { v7 as uuidv7 } from 'uuid'
import type { UserToExport } from '../../../store/queries/management/export-users.js'
import type { UserWithTenants } from '../../../store/queries/management/import-users.js'
import { productFieldsOf, userFieldsOf } from '../../../store/queries/user-fields.js'
import { requireCanonicalEmail } from '../../canonical-email.js'
import { LineError, lineError } from '../../users/line-error.js'

/** @throws {LineError} with every error in the line */
export function readUserLine(text: string): UserLine {
  const { data, error } = UserLine.safeParse(jsonOf(text))
  if (error) throw new LineError(error.issues.map(toFieldError))
  return data
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw lineError('', 'is not JSON')
  }
}

/** The issuer of each connection of a database, by its name. */
export type Issuers = ReadonlyMap<string, string>

/** Returns the rows that a line adds, without its authenticator apps. @throws {LineError} */
export function rowOf(
  { tenants, identities, totp, passkeys, ...user }: UserLine,
  { now, issuers }: { now: Date; issuers: Issuers },
): UserWithTenants {
  const createdAt = user.createdAt ?? now
  return {
    user: {
      id: user.id ?? uuidv7(),
      email: user.email,
      canonicalEmail: requireCanonicalEmail(user.email),
      passwordHash: user.passwordHash ?? null,
      ...userFieldsOf(user),
      emailVerifiedAt: user.emailVerifiedAt ?? null,
      disabledAt: user.disabledAt ?? null,
      needsSecondStep: totp?.length ? true : passkeys?.length ? false : null,
      // Greater than that of a deleted user with this id, so that the tokens of that user stay rejected.
      generation: now.getTime(),
      createdAt,
    },
    tenants: (tenants ?? []).map((tenant, index) => ({
      id: tenant.id ?? uuidv7(),
      isIdGiven: tenant.id != null,
      name: tenant.name,
      ...productFieldsOf(tenant),
      seats: tenant.seats ?? null,
      role: tenant.role ?? 'member',
      createdAt: tenant.createdAt ?? createdAt,
      // One millisecond apart, so that tenants keep the order of the line.
      joinedAt: tenant.joinedAt ?? new Date(createdAt.getTime() + index),
    })),
    identities: (identities ?? []).map(({ connection, subject, ...given }, index) => {
      const issuer = issuers.get(connection)
      if (issuer === undefined)
        throw lineError(`identities.${index}.connection`, 'is not a connection of the database')
      return {
        ...{ id: uuidv7(), connection, subject },
        issuer: given.issuer ?? issuer,
        email: given.email ?? null,
        isProven: given.isProven ?? user.emailVerifiedAt != null,
        linkedAt: given.linkedAt ?? createdAt,
      }
    }),
    passkeys: (passkeys ?? []).map(({ transports, signCount, logsIn, name, ...passkey }) => ({
      ...passkey,
      id: uuidv7(),
      name: name ?? null,
      transports: transports ?? [],
      signCount: signCount ?? 0,
      logsIn: logsIn ?? true,
      createdAt: passkey.createdAt ?? createdAt,
    })),
    factors: [],
  }
}

/** Returns the fields that are not null. */
const present = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as Fields

/** Returns the line of a user, without absent fields. */
export const lineOf = (user: UserToExport, totp: NonNullable<UserLine['totp']> = []): UserLine =>
  present({
    id: user.id,
    email: user.email,
    passwordHash: user.passwordHash,
    ...userFieldsOf(user),
    tenants: user.tenants.length > 0 ? user.tenants.map(lineOfTenant) : null,
    identities: user.identities.length > 0 ? user.identities.map((each) => lineOfIdentity(each, user)) : null,
    totp: totp.length > 0 ? totp.map(present) : null,
    passkeys: user.passkeys.length > 0 ? user.passkeys.map(lineOfPasskey) : null,
    emailVerifiedAt: user.emailVerifiedAt,
    disabledAt: user.disabledAt,
    createdAt: user.createdAt,
  })

const lineOfTenant = (tenant: UserToExport['tenants'][number]) =>
  present({
    id: tenant.id,
    name: tenant.name,
    ...productFieldsOf(tenant),
    seats: tenant.seats,
    role: tenant.role,
    createdAt: new Date(tenant.createdAt),
    joinedAt: new Date(tenant.joinedAt),
  })

const lineOfPasskey = ({ createdAt, ...passkey }: UserToExport['passkeys'][number]) =>
  present({
    ...passkey,
    credentialId: base64urlOf(passkey.credentialId),
    publicKey: base64urlOf(passkey.publicKey),
    userHandle: base64urlOf(passkey.userHandle),
    createdAt: new Date(createdAt),
  })

const base64urlOf = (hex: string) => Buffer.from(hex, 'hex').toString('base64url')

const lineOfIdentity = (
  { linkedAt, isProven, ...identity }: UserToExport['identities'][number],
  { emailVerifiedAt }: UserToExport,
) =>
  present({
    ...identity,
    linkedAt: new Date(linkedAt),
    // The default of the import.
    isProven: isProven === (emailVerifiedAt !== null) ? null : isProven,
  })
