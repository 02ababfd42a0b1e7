import type { OpenStore } from '../support/open-store.js'

// The rules of `me`, as triggers: which change of a row makes `me` refuse a token that it accepted before, or show another
// tenant or role than the token. Each must store its revocation in the same transaction.

/** A change that was recorded, and whether its transaction has stored the revocation. */
export interface RecordedChange {
  change: string
  isStored: boolean
  row: unknown
}

/** Returns the condition that the transaction has stored a revocation. */
const stored = (type: string, condition: string) => `EXISTS (
      SELECT FROM usher.revocation AS r
      WHERE r.database_id = changed.database_id AND r.xmin = pg_current_xact_id()::xid
        AND r.payload->>'type' = '${type}' AND ${condition})`

const userIs = (id: string) => `r.payload->>'userId' = ${id}::text`
const tenantIs = `r.payload->>'tenantId' = changed.tenant_id::text`

interface Rule {
  table: string
  /** When the change concerns tokens. `was` is the row before, `changed` the row that has the change. */
  applies: string
  isStored: string
}

const generationIs = (comparison: string) => `(r.payload->>'generation')::bigint ${comparison}`
const hasUser = (condition = '') => `EXISTS (
      SELECT FROM usher."user" AS u
      WHERE u.database_id = changed.database_id AND u.id = changed.user_id ${condition})`
const isMemberUntil = (role: string) =>
  stored(
    'token-claims-change',
    `${userIs('changed.user_id')} AND ${tenantIs} AND r.payload->>'role' ${role} AND EXISTS (
      SELECT FROM usher."user" AS u WHERE u.database_id = changed.database_id AND u.id = changed.user_id
        AND u.tenants_version = (r.payload->>'version')::bigint)`,
  )

/** By the name of the change: `UPDATE` or `DELETE`, and what it does. */
const rules: Record<string, Rule> = {
  'DELETE user': {
    table: 'user',
    applies: 'changed.reserved_for IS NULL',
    isStored: stored('tokens-revoked', `${userIs('changed.id')} AND ${generationIs('> changed.generation')}`),
  },
  // No token of a disabled user is accepted.
  'UPDATE user': {
    table: 'user',
    applies: `was.disabled_at IS NULL AND (changed.disabled_at IS NOT NULL OR changed.generation <> was.generation)`,
    isStored: stored(
      'tokens-revoked',
      `${userIs('changed.id')} AND ${generationIs('= changed.generation')} AND ${generationIs('> was.generation')}`,
    ),
  },
  'UPDATE session': {
    table: 'session',
    applies: `was.ended_at IS NULL AND (changed.ended_at IS NOT NULL OR changed.generation <> was.generation)`,
    isStored: `${stored(
      'session-revoked',
      `${userIs('changed.user_id')} AND r.payload->>'sessionId' = changed.id::text`,
    )} OR ${stored('tokens-revoked', `${userIs('changed.user_id')} AND ${generationIs('> was.generation')}`)}`,
  },
  // A session with an earlier generation than that of its user has no token that is accepted.
  'DELETE session': {
    table: 'session',
    applies: `${hasUser('AND u.generation = changed.generation')}
      AND changed.ended_at IS NULL AND changed.expires_at > now() - interval '1 day'`,
    isStored: 'false',
  },
  'UPDATE membership': {
    table: 'membership',
    applies: 'changed.role <> was.role',
    isStored: isMemberUntil('= changed.role'),
  },
  'DELETE membership': {
    table: 'membership',
    applies: hasUser(),
    isStored: `${isMemberUntil('IS NULL')} OR ${stored('tenant-deleted', tenantIs)}`,
  },
  'DELETE tenant': {
    table: 'tenant',
    applies: 'true',
    isStored: stored('tenant-deleted', `r.payload->>'tenantId' = changed.id::text`),
  },
  'UPDATE signing_key': {
    table: 'signing_key',
    applies: `changed.retires_at < now() + interval '1 day'
      AND (was.retires_at IS NULL OR changed.retires_at < was.retires_at)`,
    isStored: stored('key-retired', `r.payload->>'kid' = changed.kid`),
  },
  'DELETE signing_key': {
    table: 'signing_key',
    applies: 'changed.retires_at IS NULL OR changed.retires_at > now()',
    isStored: 'false',
  },
}

/** The changes that can be recorded. */
export const revokingChanges = Object.keys(rules)

/** No server finds a database without keys, which is being deleted. */
const hasKeys = `EXISTS (SELECT FROM usher.signing_key AS k WHERE k.database_id = changed.database_id)`

/** Adds triggers to the tables of a store, which record each change that needs a revocation when it is committed. */
export async function recordRevokingChanges({ prisma }: Pick<OpenStore, 'prisma'>) {
  await prisma.$executeRawUnsafe(
    'CREATE TABLE public.recorded_change (change text, "isStored" boolean, "row" jsonb)',
  )
  for (const [index, [change, { table, applies, isStored }]] of Object.entries(rules).entries()) {
    const [event = ''] = change.split(' ')
    const name = `public.record_${index}`
    await prisma.$executeRawUnsafe(`
      CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        was usher."${table}" := OLD;
        changed usher."${table}" := ${event === 'DELETE' ? 'OLD' : 'NEW'};
      BEGIN
        IF ${hasKeys} AND (${applies}) THEN
          INSERT INTO public.recorded_change VALUES ('${change}', ${isStored}, to_jsonb(changed));
        END IF;
        RETURN NULL;
      END $$`)
    await prisma.$executeRawUnsafe(`
      CREATE CONSTRAINT TRIGGER record_${index} AFTER ${event} ON usher."${table}"
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ${name}()`)
  }
}

/** Returns the changes that were recorded. */
export const recordedChanges = ({ prisma }: Pick<OpenStore, 'prisma'>) =>
  prisma.$queryRaw<RecordedChange[]>`SELECT * FROM public.recorded_change`
