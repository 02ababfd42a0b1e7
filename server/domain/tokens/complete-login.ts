import type { SignedInUser } from '@usher/contract'
import { hasOtherNetwork, rememberNetwork } from '../../store/queries/networks.js'
import { findSsoMemberships } from '../../store/queries/user-tenants.js'
import { type AuditEvent, type AuditFields, audit } from '../../telemetry/audit.js'
import { sendNotice } from '../change.js'
import type { AppContext } from '../context.js'
import type { RuleDatabase } from '../databases/find-database.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { knownMilliseconds, wasSeen } from '../throttle/rules.js'
import { issueToken, type NewToken, type TokenSession, type TokenUser } from './access-token.js'
import type { Authentication, TenantProof } from './authentication.js'
import { sourcedClaims } from './sourced-claims.js'

/** A user who has just proven to be that user. */
export interface CompletedLogin {
  user: TokenUser & { disabledAt: Date | null }
  /** How the user has proven it, in as many steps as the user needs. */
  authentication: Authentication
  /**
   * When the user was read or written, in milliseconds since the epoch. It becomes the `iat` of the token, so that a
   * revocation since then covers the token.
   */
  readAt: number
  /** The id of the token, and of the session that it may open. */
  tokenId?: string
  /** The session to which the token belongs. By default, it can open one. */
  session?: TokenSession | undefined
  /** The network of a login whose password or mailed code was verified. */
  network?: LoginNetwork
  /** Is audited, if no rule has audited the login with its change. */
  event?: AuditEvent
  way?: AuditFields['way']
}

/** The network of a login. */
export interface LoginNetwork {
  user: { id: string; createdAt: Date }
  network: Uint8Array
  /** When the user last logged in from it. Null if never. */
  knownAt: Date | null
}

type Request = Pick<DatabaseRequest, 'database' | 'caller' | 'actor'>

/**
 * Logs a user in, however the user has proven it: the only maker of a user's tokens but those of opened and refreshed sessions.
 *
 * @returns the body that all these operations share (docs/specification.md, section 2)
 * @throws {Problem} `invalid_credentials` if the user is disabled
 */
export async function completeLogin(
  context: AppContext,
  request: Request,
  { user, authentication, readAt, tokenId, session, network, event, way }: CompletedLogin,
): Promise<SignedInUser> {
  if (user.disabledAt) throw new Problem('invalid_credentials')
  authentication.requireOf(user)
  const { database, caller } = request
  if (network) await rememberLogin(context, request, network)
  if (event) audit(caller.log, event, { databaseId: database.id, userId: user.id, ...(way && { way }) })
  const issued = { now: readAt, proven: authentication, isTenantOnly: false, session, id: tokenId }
  return issueTo(context, request, { user, ...issued })
}

/** Returns a token with what only few databases read for it. */
async function issueTo(
  context: AppContext,
  request: Pick<Request, 'database' | 'caller'>,
  { user, hasRules, ...issued }: Omit<NewToken, 'sourced'> & Pick<TenantLogin, 'user' | 'hasRules'>,
) {
  const { database } = request
  const known = hasRules ? user : await withSsoRules(context, database, user)
  const sourced = await sourcedClaims(context, request, { user: known, ...issued })
  return issueToken(database, known, { ...issued, sourced })
}

/** Returns a user with the rules of single sign-on of the tenants. They are read here, because few databases have them. */
async function withSsoRules<User extends TokenUser>(
  { store }: Pick<AppContext, 'store'>,
  { id: databaseId, singleSignOn }: Pick<RuleDatabase, 'id' | 'singleSignOn'>,
  user: User,
): Promise<User> {
  if (!singleSignOn) return user
  return { ...user, memberships: await findSsoMemberships(store, { databaseId, userId: user.id }) }
}

/** A user who has passed the single sign-on of a tenant. */
interface TenantLogin extends Pick<CompletedLogin, 'user' | 'readAt' | 'tokenId' | 'session'> {
  proof: TenantProof
  /** Whether the rules of single sign-on of the user's tenants were read with the login. */
  hasRules?: boolean | undefined
}

/** Returns a token of a tenant, which does not open the account of the user. @throws {Problem} `login_refused` if the user is disabled */
export async function completeTenantLogin(
  context: AppContext,
  request: Pick<Request, 'database' | 'caller'>,
  { user, proof, readAt, tokenId, session, hasRules }: TenantLogin,
): Promise<SignedInUser> {
  if (user.disabledAt) throw new Problem('login_refused')
  proof.requireOf(user)
  const issued = { now: readAt, proven: proof.proven, isTenantOnly: true, session, id: tokenId }
  return issueTo(context, request, { user, hasRules, ...issued })
}

const dayMilliseconds = 24 * 3_600_000

/**
 * Records the network of a login, at most once a day, and notifies the user of a new one. A failure is only logged. The
 * first network of a user who has signed up within a day is not new.
 */
export async function rememberLogin(
  context: AppContext,
  request: Request,
  { user: { id: userId, createdAt }, network, knownAt }: LoginNetwork,
) {
  const { store, now } = context
  const { database, caller } = request
  const databaseId = database.id
  if (wasSeen(knownAt, now(), dayMilliseconds)) return
  if (!wasSeen(knownAt, now(), knownMilliseconds)) {
    const isWanted = async () =>
      !wasSeen(createdAt, now(), dayMilliseconds) ||
      (await hasOtherNetwork(store, { databaseId, userId, network }))
    await sendNotice(context, request, { notice: 'new_network', userId, isWanted })
  }
  try {
    await rememberNetwork(store, { databaseId, userId, network }, new Date(now()))
  } catch (error) {
    caller.log.warn({ err: error, databaseId, userId }, 'the network of a login was not stored')
  }
}
