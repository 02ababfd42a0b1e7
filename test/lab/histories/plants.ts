import type { Store } from '../../../server/store/store.js'

type Row = Record<string, unknown>

/** A statement of a server. */
interface Statement {
  text: string
  values: unknown[]
  run: (text: string, values: unknown[]) => Promise<Row[]>
  /** What the statements of a transaction share. */
  transaction: Row
}

/** Runs a statement, or its replacement. */
type Handle = (statement: Statement) => Promise<Row[]>

/** A former defect of servers. Changed statements and results of the store simulate it. */
export interface Plant {
  create(): Handle
  /** Operations that show the defect. */
  focus: string[]
  /** Milliseconds by which the clocks of servers are ahead. Undefined for the usual ones. */
  skew?: number
  /** The expected report. */
  found: RegExp
}

const userOf = ({ values: [databaseId, id] }: Statement) => [databaseId, id]

export const plants: Record<string, Plant> = {
  'a token that was issued before a revocation committed, and outlives it': {
    create() {
      // A login that reads the user before the commit gets a token that is valid after it, as if a timestamp decided.
      const next = new Map<unknown, unknown>()
      return async (statement) => {
        const { text, values, run, transaction } = statement
        const rows = await run(text, values)
        if (text.includes('generation = GREATEST(u.generation + 1')) {
          const [, id] = userOf(statement)
          next.set(id, rows[0]?.generation)
          transaction.end = () => next.delete(id)
        }
        const isLogin = text.includes('AS "networkKnownAt"')
        return isLogin
          ? rows.map((row) => ({ ...row, generation: next.get(row.id) ?? row.generation }))
          : rows
      }
    },
    focus: ['login', 'me', 'setPassword', 'changePassword'],
    found: /impossible .*(me|openSession|refresh|updateMe|listSessions|changePassword)/,
  },
  'a repeated refresh judged by the clock of the server': {
    create:
      () =>
      ({ text, values, run }) =>
        text.includes('s.refreshes = $3::int')
          ? run(text.replace('statement_timestamp()', '$4::timestamptz'), values)
          : run(text, values),
    focus: ['refresh', 'openSession'],
    // Servers disagree after the hundredth of a second that is left of the 30 s.
    skew: 29_990,
    found: /impossible .*refresh /,
  },
  'a refresh token whose successor was used, and that is good nevertheless': {
    create:
      () =>
      ({ text, values, run }) =>
        run(text.replace('s.retries - 1 <= $3::int', 's.retries - 2 <= $3::int'), values),
    focus: ['refresh', 'openSession'],
    found: /impossible .*refresh /,
  },
  'a repeated login by mail judged by the clock of the server': {
    create:
      () =>
      ({ text, values, run }) =>
        run(text.replace('expires_at > statement_timestamp()', 'expires_at > $3::timestamptz'), values),
    focus: ['requestLoginCode', 'finishLogin'],
    skew: 29_990,
    found: /impossible .*finishLogin .*code_invalid/,
  },
  'a login by mail that leaves the tokens of an account that was never verified': {
    create:
      () =>
      ({ text, values, run }) =>
        run(
          text.includes('password_hash = NULL')
            ? text.replace(/generation = GREATEST\(u\.generation \+ 1/, 'generation = LEAST(u.generation')
            : text,
          values,
        ),
    focus: ['requestLoginCode', 'finishLogin', 'me'],
    found: /impossible .*(me|openSession|updateMe|listSessions|changePassword) /,
  },
  'a code that a mail stores again while it is used': {
    create:
      () =>
      async ({ text, values, run }) => {
        const rows = await run(text, values)
        const isMissing = text.includes('stored_at::text AS "storedAt"') && rows.length === 0
        return isMissing ? [{ storedAt: new Date().toISOString() }] : rows
      },
    focus: ['requestReset', 'reset', 'sendReset'],
    found: /impossible .*(reset|verify) /,
  },
  'an event decided from an earlier read of the user': {
    create() {
      const verified = new Map<unknown, unknown>()
      return async (statement) => {
        const { text, values, run } = statement
        const rows = await run(text, values)
        if (text.includes('FROM usher.code JOIN usher."user"') && rows[0]) {
          const [user] = await run(verifiedStatement, [values[0], rows[0].userId])
          verified.set(values[1], user?.isVerified)
        }
        if (!text.includes('"isNewlyVerified"')) return rows
        return rows.map((row) => ({ ...row, isNewlyVerified: !verified.get(values[2]) }))
      }
    },
    focus: ['requestReset', 'requestVerification', 'reset', 'verify'],
    found: /one event too many: user.email_verified/,
  },
  'a user disabled without an event': {
    create: () => async (statement) => {
      const { text, values, run, transaction } = statement
      if (transaction.isSilent && text.includes('INSERT INTO usher.outbox')) return []
      transaction.isSilent ||= text.includes('disabled_at = $4::timestamptz')
      return run(text, values)
    },
    focus: ['disable', 'enable'],
    found: /no event user.disabled|but the last event is user.enabled/,
  },
}

const verifiedStatement = `SELECT email_verified_at IS NOT NULL AS "isVerified" FROM usher."user"
  WHERE database_id = $1::uuid AND id = $2::uuid`

/** Returns a store that runs statements by the handle that is planted then, if any. */
export function plantable<Kind extends Store>(store: Kind, planted: () => Handle | undefined): Kind {
  const handled =
    (query: Store['query'], transaction: Row) =>
    async <Result>(text: string, values: unknown[], milliseconds?: number) => {
      const run: Statement['run'] = (changed, own) => query(changed, own, milliseconds)
      const handle = planted() ?? (() => run(text, values))
      return (await handle({ text, values, run, transaction })) as Result[]
    }
  return {
    ...store,
    query: handled(store.query, {}),
    transaction: (databaseId: string, work: Parameters<Store['transaction']>[1], milliseconds?: number) => {
      const transaction: Row & { end?: () => void } = {}
      return store
        .transaction(databaseId, (query) => work(handled(query as Store['query'], transaction)), milliseconds)
        .finally(() => transaction.end?.())
    },
  }
}
