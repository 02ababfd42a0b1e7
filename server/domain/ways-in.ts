import { findFactors } from '../store/queries/factors.js'
import { findIdentities } from '../store/queries/identities.js'
import type { Change } from './change.js'
import type { Connection } from './connections/connection.js'
import { relyingPartyOf } from './databases/relying-party.js'
import { canReturn } from './invitations/accept.js'
import { Problem } from './problem.js'

/** A locked user from whom a way to log in was removed. */
interface LeftUser {
  userId: string
  passwordHash: string | null
  isVerified: boolean
  /** The enabled connections of the database. Identities of others log nobody in. */
  connections: readonly Connection[]
}

/** Requires that a user can still log in. @throws {Problem} `last_login_method` */
export async function requireWayIn(
  change: Change,
  { userId, passwordHash, isVerified, connections }: LeftUser,
) {
  const { database } = change
  if (passwordHash !== null || (isVerified && canReturn(database))) return
  const key = { databaseId: database.id, userId }
  const identities = await findIdentities(change, key)
  if (identities.some(({ connection }) => connections.some(({ name }) => name === connection))) return
  const domain = database.secondFactor === 'off' ? undefined : relyingPartyOf(database)?.domain
  const factors = await findFactors(change, key)
  const logsIn = factors.some((each) => each.kind === 'passkey' && each.logsIn && each.domain === domain)
  if (!logsIn) throw new Problem('last_login_method')
}
