import type { OpenStore } from '../../support/open-store.js'
import type { Operation } from './operation.js'

type Row = Record<string, unknown>

/** A row that a transaction has inserted, updated or deleted. */
export interface Change {
  transaction: string
  /** Milliseconds of performance.now(). */
  at: number
  table: string
  before: Row | null
  after: Row | null
}

const tables = ['"user"', 'tenant', 'membership', 'invitation', 'outbox']

/** Makes Postgres record every committed change of users, tenants, memberships, invitations and messages. */
export async function recordChanges({ prisma }: Pick<OpenStore, 'prisma'>) {
  const statements = [
    'CREATE SCHEMA lab',
    `CREATE TABLE lab.change (number bigserial PRIMARY KEY, transaction text NOT NULL, at float8 NOT NULL,
      "table" text NOT NULL, before jsonb, after jsonb)`,
    `CREATE FUNCTION lab.record() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO lab.change (transaction, at, "table", before, after) VALUES (pg_current_xact_id()::text,
        extract(epoch FROM clock_timestamp()) * 1000, TG_TABLE_NAME, to_jsonb(OLD), to_jsonb(NEW));
      RETURN NULL; END $$`,
    ...tables.map(
      (table) => `CREATE TRIGGER record AFTER INSERT OR UPDATE OR DELETE ON usher.${table}
        FOR EACH ROW EXECUTE FUNCTION lab.record()`,
    ),
  ]
  for (const statement of statements) await prisma.$executeRawUnsafe(statement)
}

/** Returns the changes since the last call. Those of one user's row are in the order of their commits. */
export async function takeChanges({ prisma }: Pick<OpenStore, 'prisma'>): Promise<Change[]> {
  const changes = await prisma.$queryRawUnsafe<(Change & { number: bigint })[]>(
    'DELETE FROM lab.change RETURNING *',
  )
  return changes
    .sort((one, other) => Number(one.number - other.number))
    .map((change) => ({ ...change, at: change.at - performance.timeOrigin }))
}

/** A message with a code. */
const mailOf = ({ table, before, after }: Change) =>
  table === 'outbox' && !before && after?.kind === 'mail' ? after : undefined

/** How far the clocks of the store and of the clients may differ. */
const clockMilliseconds = 5

const requests: Record<string, string[]> = {
  password_reset: ['requestReset', 'sendReset'],
  email_verification: ['requestVerification'],
}

/**
 * Returns operations for the messages that send codes: `stored` with the request that caused it, and `mail`, whose
 * outcome is unknown unless the mail arrived.
 *
 * @param arrivals when the mail of a message first arrived, by its id
 * @throws if a message has no request
 */
export function operationsOfMessages(
  changes: readonly Change[],
  history: readonly Operation[],
  arrivals: ReadonlyMap<string, number>,
): Operation[] {
  const emails = new Map<unknown, string>()
  for (const { table, after } of changes)
    if (table === 'user' && after) emails.set(after.id, String(after.email))
  return changes.flatMap((change) => {
    const message = mailOf(change)
    const email = emails.get(message?.user_id)
    if (!message || email === undefined) return []
    const id = String(message.id)
    const purpose = (message.payload as { type: 'password_reset' | 'email_verification' }).type
    const call = change.at - clockMilliseconds
    const causes = history.filter(
      (each) =>
        each.email === email &&
        requests[purpose]?.includes(each.name) &&
        each.call <= change.at + clockMilliseconds &&
        each.return >= call,
    )
    if (causes.length === 0) throw new Error(`no request for message ${id} of ${email}`)
    const common = { email, at: 'outbox', input: { code: { id, purpose } } }
    const arrival = arrivals.get(id)
    return [
      {
        ...common,
        name: 'stored',
        call,
        return: Math.max(...causes.map((each) => each.return)),
        outcome: {},
      },
      { ...common, name: 'mail', call, return: arrival ?? Number.POSITIVE_INFINITY, outcome: arrival && {} },
    ] as Operation[]
  })
}
