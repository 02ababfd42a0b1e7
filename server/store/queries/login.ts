import type { User } from '../generated/client.js'
import type { Queries } from '../store.js'
import type { Attempt, LoginFailures } from './login-failures.js'
import { isAccount } from './reserved-addresses.js'
import { membershipsOf } from './user-tenants.js'
import { type UserWithPassword, userColumns } from './users.js'

/** A user who tries to log in, and the counts that the throttle needs. */
export interface Login {
  user: UserWithPassword | undefined
  /** When the user last logged in from this network, as {@link rememberNetwork} stored it. Null if never. */
  networkKnownAt: Date | null
  failures: LoginFailures
}

/** A user by id or by address. */
export type Account = Partial<Pick<User, 'id' | 'canonicalEmail'>>

export async function findLogin(
  store: Queries,
  { databaseId, id, canonicalEmail }: Account & Pick<User, 'databaseId'>,
  attempt: Attempt,
): Promise<Login> {
  type Row = UserWithPassword & {
    networkKnownAt: Date
    networkCount: number
    networkLastAt: Date
    accountCount: number
    accountLastAt: Date
  }
  const statement = id ? findByIdStatement : findByEmailStatement
  const values = [databaseId, id ?? canonicalEmail, attempt.address, attempt.network]
  const [row] = await store.query<{ [K in keyof Row]: Row[K] | null }>(statement, values)
  const failures = (count?: number | null, lastAt?: Date | null) =>
    count && lastAt ? { count, lastAt } : undefined
  return {
    user: row?.id ? (row as UserWithPassword) : undefined,
    networkKnownAt: row?.networkKnownAt ?? null,
    failures: {
      network: failures(row?.networkCount, row?.networkLastAt),
      account: failures(row?.accountCount, row?.accountLastAt),
    },
  }
}

const findLoginStatement = (isUser: string) => `
  SELECT ${userColumns}, ${membershipsOf('u.id')}, u.disabled_at AS "disabledAt", u.password_hash AS "passwordHash",
    known.last_login_at AS "networkKnownAt",
    network.failures AS "networkCount", network.last_failure_at AS "networkLastAt",
    account.failures AS "accountCount", account.last_failure_at AS "accountLastAt"
  FROM (VALUES (1)) AS always
  LEFT JOIN usher."user" AS u ON u.database_id = $1::uuid AND ${isUser}
  LEFT JOIN usher.known_network AS known ON known.database_id = $1::uuid
    AND known.user_id = u.id AND known.network = $4::bytea
  LEFT JOIN usher.login_failures AS network ON network.database_id = $1::uuid
    AND network.address = $3::bytea AND network.network = $4::bytea
  LEFT JOIN usher.login_failures AS account ON account.database_id = $1::uuid
    AND account.address = $3::bytea AND account.network = ''::bytea`

const findByEmailStatement = findLoginStatement(`u.email_key = $2 AND ${isAccount('u')}`)
const findByIdStatement = findLoginStatement('u.id = $2::uuid')
