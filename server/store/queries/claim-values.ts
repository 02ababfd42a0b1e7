import type { Queries } from '../store.js'

/** What to read for the claims of a token. */
export interface WantedValues {
  databaseId: string
  userId: string
  /** The tenant of the token, if it has exactly one. */
  tenantId: string | undefined
  /** Names of fields, each with a key of its object, or null. */
  sources: readonly { field: string; key: string | null }[]
}

/** Returns the value of each source, in their order. Null: there is none. Reads no object of the product without a source in it. */
export async function findClaimValues(
  { query }: Queries,
  { databaseId, userId, tenantId, sources }: WantedValues,
): Promise<readonly unknown[]> {
  const fields = sources.map(({ field }) => field)
  const keys = sources.map(({ key }) => key)
  const values = [databaseId, userId, tenantId ?? null, fields, keys]
  const [row] = await query<{ found: unknown[] }>(findStatement, values)
  return row?.found ?? []
}

const findStatement = `
  SELECT (
    SELECT json_agg(CASE wanted.field
        WHEN 'user.externalId' THEN to_json(u.external_id)
        WHEN 'user.locale' THEN to_json(u.locale)
        WHEN 'user.metadata' THEN u.metadata -> wanted.key
        WHEN 'user.privateMetadata' THEN u.private_metadata -> wanted.key
        WHEN 'tenant.externalId' THEN to_json(tenant.external_id)
        WHEN 'tenant.metadata' THEN tenant.metadata -> wanted.key
        WHEN 'tenant.privateMetadata' THEN tenant.private_metadata -> wanted.key
      END ORDER BY wanted.place)
    FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS wanted (field, key, place)
  ) AS found
  FROM usher."user" AS u
  LEFT JOIN usher.tenant AS tenant ON tenant.database_id = $1::uuid AND tenant.id = $3::uuid
  WHERE u.database_id = $1::uuid AND u.id = $2::uuid`
