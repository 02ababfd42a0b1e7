import { NIL } from 'uuid'
import type { User } from '../../generated/client.js'
import type { Queries } from '../../store.js'
import type { Page } from '../page.js'
import type { ProductFields } from '../user-fields.js'
import { selected, type UserFields, userFields } from '../user-fields.js'
import type { ImportedPasskey } from './import-users.js'

/**
 * A user with all tenants in the order of joining, with identities, passkeys and authenticator apps. The times of these are text, as
 * Postgres writes it in JSON.
 */
export type UserToExport = Omit<
  User,
  | 'databaseId'
  | 'canonicalEmail'
  | 'generation'
  | 'tenantsVersion'
  | 'reservedFor'
  | 'reservedUntil'
  | 'needsSecondStep'
  | keyof UserFields
> &
  UserFields & {
    tenants: ({
      id: string
      name: string
      seats: number | null
      createdAt: string
      joinedAt: string
      role: string
    } & ProductFields)[]
    identities: {
      connection: string
      issuer: string
      subject: string
      email: string | null
      isProven: boolean
      linkedAt: string
    }[]
    factors: { id: string; name: string | null; sealedSecret: string; createdAt: string }[]
    /** Bytes are hexadecimal. */
    passkeys: (Omit<ImportedPasskey, 'id' | 'createdAt'> & { createdAt: string })[]
  }

/** Returns users of a database ordered by id. @param withFactors whether to read the authenticator apps */
export const listUsersToExport = (
  store: Queries,
  { databaseId, withFactors }: { databaseId: string; withFactors: boolean },
  { limit, after = NIL }: Page<string>,
) => store.query<UserToExport>(listStatement, [databaseId, after, limit, withFactors])

const listStatement = `
    SELECT u.id, u.email, u.password_hash AS "passwordHash", ${selected(userFields)},
      u.email_verified_at AS "emailVerifiedAt", u.disabled_at AS "disabledAt",
      u.created_at AS "createdAt",
      COALESCE((
        SELECT json_agg(json_build_object('id', tenant.id, 'name', tenant.name,
          'createdAt', tenant.created_at, 'joinedAt', membership.joined_at, 'externalId', tenant.external_id,
          'metadata', tenant.metadata, 'privateMetadata', tenant.private_metadata, 'seats', tenant.seats,
          'role', membership.role)
          ORDER BY membership.joined_at, membership.tenant_id)
        FROM usher.membership
        JOIN usher.tenant ON tenant.database_id = $1::uuid AND tenant.id = membership.tenant_id
        WHERE membership.database_id = $1::uuid AND membership.user_id = u.id
      ), '[]') AS tenants,
      COALESCE((
        SELECT json_agg(json_build_object('connection', connection, 'issuer', issuer, 'subject', subject,
          'email', identity.email, 'isProven', is_proven, 'linkedAt', linked_at) ORDER BY linked_at, identity.id)
        FROM usher.identity WHERE identity.database_id = $1::uuid AND identity.user_id = u.id
      ), '[]') AS identities,
      CASE WHEN u.needs_second_step IS NOT NULL THEN COALESCE((
        SELECT json_agg(json_build_object('credentialId', encode(credential_id, 'hex'),
          'publicKey', encode(public_key, 'hex'), 'userHandle', encode(user_handle, 'hex'), 'domain', domain,
          'transports', transports, 'signCount', sign_count, 'isSynced', is_synced, 'logsIn', logs_in,
          'name', factor.name, 'createdAt', factor.created_at) ORDER BY factor.created_at, factor.id)
        FROM usher.factor
        WHERE factor.database_id = $1::uuid AND factor.user_id = u.id AND factor.kind = 'passkey'
      ), '[]') ELSE '[]' END AS passkeys,
      CASE WHEN $4::boolean AND u.needs_second_step IS NOT NULL THEN COALESCE((
        SELECT json_agg(json_build_object('id', factor.id, 'name', name,
          'sealedSecret', encode(sealed_secret, 'hex'), 'createdAt', factor.created_at)
          ORDER BY factor.created_at, factor.id)
        FROM usher.factor
        WHERE factor.database_id = $1::uuid AND factor.user_id = u.id AND factor.kind = 'totp'
      ), '[]') ELSE '[]' END AS factors
    FROM usher."user" AS u
    WHERE u.database_id = $1::uuid AND u.id > $2::uuid AND u.reserved_for IS NULL
    ORDER BY u.id LIMIT $3::int`
