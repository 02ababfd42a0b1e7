import type { AddTenantProofBody, FinishedLogin, FinishLoginBody, SignedInUser } from '@usher/contract'
import { v7 as uuidv7 } from 'uuid'
import { isUniqueViolation } from '../../store/errors.js'
import { findPending } from '../../store/queries/acceptances.js'
import { deleteInvitation } from '../../store/queries/invitations.js'
import { findAttempt, type ReturnedAttempt, useAttempt } from '../../store/queries/login-attempts.js'
import { insertMember } from '../../store/queries/member-changes.js'
import { lockUsersAndTenant } from '../../store/queries/members.js'
import { insertUser } from '../../store/queries/sign-up.js'
import { storeTested } from '../../store/queries/sso-connections.js'
import {
  addProofs,
  findSsoFacts,
  type NamedPerson,
  type SsoFacts,
  storeEntry,
  useAttemptOfEntry,
} from '../../store/queries/sso-logins.js'
import { profileOf } from '../../store/queries/user-fields.js'
import { findUserOfToken } from '../../store/queries/users-of-tokens.js'
import { audit } from '../../telemetry/audit.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import { type Change, type Fact, type Outcome, runChange } from '../change.js'
import type { TenantConnection } from '../connections/tenant-connection.js'
import type { AppContext } from '../context.js'
import { proveStep } from '../factors/step.js'
import { type Accepted, askBeforeSignUp } from '../hooks/sign-up-hook.js'
import { requireJoinable } from '../invitations/accept.js'
import { requireInvitation } from '../invitations/code.js'
import { noticeMessages } from '../notices/notice.js'
import { Problem } from '../problem.js'
import type { ProviderClaims } from '../providers/identify.js'
import { reclaim } from '../reclaim.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import { unknownRoles } from '../tenants/roles.js'
import { sessionIdOf } from '../tokens/access-token.js'
import { Authentication, acrOf, TenantProof } from '../tokens/authentication.js'
import { type CompletedLogin, completeLogin, completeTenantLogin } from '../tokens/complete-login.js'
import { chooseMember, type Membering, type SsoPerson } from './choose-member.js'
import { requireAttempt } from './mail.js'

// Logins by single sign-on of a tenant. Who joins the tenant is decided by `chooseMember`.

type Request = DatabaseRequest<FinishLoginBody>

/** A login that has returned from the provider of a tenant. */
interface SsoLogin {
  attempt: ReturnedAttempt
  claims: ProviderClaims
  connection: TenantConnection
  person: NamedPerson
}

/** What a login has found or changed. */
interface Success extends Pick<CompletedLogin, 'user'> {
  at: Date
  isNewUser: boolean
  /** Whether it has read the rules of the user's tenants. */
  hasRules?: boolean
}

/** How long a login shows that a connection works, before the next one records it again. */
const testedMilliseconds = 300_000

/**
 * Logs a person in whom the provider of a tenant has named, with a session of that tenant. The first login links the person to an
 * account, or creates one. The same success can be repeated for a short time, and returns a token with the same id.
 *
 * @throws {Problem} `code_invalid`; those of `chooseMember`; `second_factor_required`; `second_factor_missing`; `sign_up_refused`;
 * `unavailable`
 */
export async function logInToTenant(
  context: AppContext,
  request: Request,
  attempt: ReturnedAttempt,
): Promise<FinishedLogin> {
  const { database, body } = request
  const login = await readLogin(context, request, attempt)
  const { invitationCode } = body
  const invitation = invitationCode ? await requireInvitation(context, database, invitationCode) : undefined
  const { canonicalEmail } = login.person
  const joining = { ...login, joiner: { canonicalEmail, invitation } }
  const facts = await findSsoFacts(context.store, login.person, new Date(context.now()))
  if (!facts?.isEnabled) throw new Problem('code_invalid')
  const choice = attempt.usedAt ? undefined : chooseMember(facts, joining.joiner)
  const amr = await proveLevel(context, request, { facts, login })
  const { email, preferredName, locale } = login.claims
  const named = { email: email ?? '', preferredName, locale, invitedTo: facts.tenantId }
  const isNew = choice?.kind === 'link' && !choice.user
  const way = { way: 'sso', connection: login.connection.id } as const
  const accepted = isNew ? await askBeforeSignUp(context, request, { ...named, ...way }) : undefined
  const { user, at, isNewUser, hasRules } =
    (choice?.kind === 'known' && (await useKnown(context, request, { login, user: choice.user }))) ||
    (await runTwice(() =>
      runChange(context, request, (change) => inChange(change, { ...joining, accepted })),
    ))
  const signedIn = await completeTenantLogin(context, request, {
    user,
    proof: TenantProof.of(user, facts.tenantId, { amr, at: at.getTime() }),
    readAt: at.getTime(),
    tokenId: attempt.id,
    hasRules,
  })
  return { ...signedIn, isNewUser }
}

/** Another request has changed who the person is since it was read. */
class Outdated extends Error {}

/**
 * Runs a change, and again if another request has linked the person or signed the address up meanwhile.
 *
 * @throws {Problem} `account_exists` if the address is reserved; `code_invalid`
 */
async function runTwice<Result>(run: () => Promise<Result>): Promise<Result> {
  const isOutdated = (error: unknown) => error instanceof Outdated || isUniqueViolation(error)
  return run()
    .catch((error) => (isOutdated(error) ? run() : Promise.reject(error)))
    .catch((error) => {
      if (error instanceof Outdated) throw new Problem('code_invalid', { cause: error })
      throw isUniqueViolation(error) ? new Problem('account_exists', { cause: error }) : error
    })
}

/** Returns a login with its connection. @throws {Problem} `code_invalid` if it was disabled or removed */
async function readLogin(
  context: AppContext,
  { database: { id: databaseId, singleSignOn } }: Pick<DatabaseRequest, 'database'>,
  attempt: ReturnedAttempt,
): Promise<SsoLogin> {
  const connection = singleSignOn && (await context.findTenantConnection(databaseId, attempt.connection))
  if (!connection) throw new Problem('code_invalid')
  const claims = attempt.claims as ProviderClaims
  const { issuer, subject, email } = claims
  const canonicalEmail = email === null ? '' : requireCanonicalEmail(email)
  const person = { databaseId, connectionId: connection.id, issuer, subject, canonicalEmail }
  return { attempt, claims, connection, person }
}

/**
 * Returns how a person has proven to be that person: at the provider, and by a second factor if the tenant needs one.
 *
 * @throws {Problem} `second_factor_required`; `second_factor_invalid`; `too_many_attempts`; `second_factor_missing`
 */
async function proveLevel(
  context: AppContext,
  request: Request,
  { facts: { ssoAcr, ssoTrustAmr, user }, login: { attempt, claims } }: { facts: SsoFacts; login: SsoLogin },
): Promise<string[]> {
  if (ssoAcr !== 'aal2') return ['idp']
  if (ssoTrustAmr && claims.amr?.includes('mfa')) return ['idp', 'mfa']
  const { secondFactor: proof } = request.body
  const { id, connection } = attempt
  const second = user && (await proveStep(context, request, { id, connection, user, way: 'idp', proof }))
  if (!second) throw new Problem('second_factor_missing')
  return [...new Set(['idp', second.way, 'mfa'])]
}

/** Logs a member in by one statement. Returns undefined if the attempt was used, or the user has changed meanwhile. */
async function useKnown(
  { store, now }: AppContext,
  { database, caller }: Request,
  { login, user }: { login: SsoLogin; user: NonNullable<SsoFacts['user']> },
): Promise<Success | undefined> {
  const at = new Date(now())
  const { person, attempt } = login
  const memberships = await useAttemptOfEntry(store, {
    ...person,
    attemptId: attempt.id,
    user,
    now: at,
    testedBefore: new Date(at.getTime() - testedMilliseconds),
  })
  if (!memberships) return undefined
  audit(caller.log, 'login.succeeded', { databaseId: database.id, way: 'sso', ...idsOf(login, user.id) })
  return { user: { ...user, memberships }, at, isNewUser: false, hasRules: true }
}

type JoiningLogin = SsoLogin & {
  joiner: SsoPerson
  /** What the hook has answered about a new account. */
  accepted: Accepted | undefined
}

/** Locks the login, its user and the tenant, and decides again. */
async function inChange(change: Change, login: JoiningLogin): Promise<Outcome<Success>> {
  const { now, database } = change
  const { person } = login
  const key = { databaseId: database.id, id: login.attempt.id }
  const attempt = await findAttempt(change, key, { now, lock: true })
  if (!attempt) throw new Problem('code_invalid')
  if (attempt.usedAt) {
    const user = await findUserOfToken(change, { ...key, id: attempt.userId as string })
    if (user?.generation !== attempt.generation) throw new Problem('code_invalid')
    const at = attempt.usedAt
    const isNewUser = user.createdAt.getTime() === at.getTime()
    return { result: { user: { ...user, disabledAt: null }, at, isNewUser }, facts: [] }
  }
  const facts = await lockFacts(change, person)
  const choice = chooseMember(facts, login.joiner)
  const { id, ...changed } =
    choice.kind === 'known'
      ? { id: choice.user.id, facts: [] }
      : await linkPerson(change, { login, facts, choice })
  const user = await findUserOfToken(change, { ...key, id })
  if (!user) throw new Problem('code_invalid')
  await useLogin(change, login, user)
  const isNewUser = choice.kind === 'link' && !choice.user
  const loggedIn = { type: 'login.succeeded', way: 'sso', ...idsOf(login, id) } as const
  const result = { user: { ...user, disabledAt: null }, at: now, isNewUser }
  return { ...changed, result, facts: [loggedIn, ...changed.facts] }
}

/** Records that a user has logged in with a locked attempt, and that its connection works. */
async function useLogin(
  change: Change,
  { attempt, connection }: SsoLogin,
  { id: userId, generation }: { id: string; generation: number },
) {
  const { database, now } = change
  const databaseId = database.id
  await useAttempt(change, { databaseId, id: attempt.id }, { userId, generation, now })
  await storeTested(change, { databaseId, id: connection.id }, now)
}

/** Returns what facts about a login name. */
const idsOf = ({ connection }: Pick<SsoLogin, 'connection'>, userId: string) => ({
  userId,
  tenantId: connection.ofTenant.tenantId,
  connection: connection.id,
})

/** Links the person of a login to a locked user. */
async function linkEntry(change: Change, login: SsoLogin, userId: string): Promise<Fact> {
  const { database, now } = change
  const { claims, connection, person } = login
  const { issuer, subject } = person
  const { tenantId } = connection.ofTenant
  const key = { databaseId: database.id, id: uuidv7(), tenantId, connectionId: connection.id, userId }
  const { email, preferredName: name } = claims
  await storeEntry(change, { ...key, issuer, subject, email, name, now })
  return { type: 'sso.entry_linked', ...idsOf(login, userId) }
}

/** Locks the user and the tenant of a login, and returns what decides it. @throws {Problem} `code_invalid` */
async function lockFacts(change: Change, person: NamedPerson): Promise<SsoFacts> {
  const found = await findSsoFacts(change, person, change.now)
  if (!found?.isEnabled) throw new Problem('code_invalid')
  const { user, tenantId } = found
  await lockUsersAndTenant(change, { databaseId: change.database.id, tenantId }, user ? [user.id] : [])
  const facts = await findSsoFacts(change, person, change.now)
  if (!facts?.isEnabled) throw new Problem('code_invalid')
  if (facts.user?.id !== user?.id) throw new Outdated()
  return facts
}

interface Linking {
  login: JoiningLogin
  facts: SsoFacts
  choice: Extract<Membering, { kind: 'link' }>
}

/** Links a person to an account, which is created if there is none, and adds it to the tenant. */
async function linkPerson(
  change: Change,
  { login, facts: { tenantId, ssoRole }, choice }: Linking,
): Promise<Pick<Outcome<unknown>, 'facts' | 'mails'> & { id: string }> {
  const { database, now } = change
  const { connection } = login
  const id = choice.user?.id ?? uuidv7()
  const path = { databaseId: database.id, tenantId, userId: id }
  const facts: Fact[] = []
  if (!choice.user) facts.push(...(await createPerson(change, { ...login, id })))
  if (choice.isReclaimed) facts.push(...(await reclaim(change, id)))
  if (choice.joins) {
    const invited = choice.codeId
      ? await acceptInvited(change, { ...path, codeId: choice.codeId })
      : undefined
    const role = invited?.role ?? knownRole(change, ssoRole)
    await insertMember(change, { ...path, role, joinedAt: now, ssoOnly: true })
    if (invited) facts.push({ type: 'invitation.accepted', tenantId, invitationId: invited.id, userId: id })
    facts.push({ type: 'tenant.user_added', tenantId, userId: id, role })
  }
  facts.push(await linkEntry(change, login, id))
  const isTold = choice.user && !choice.isReclaimed
  const notified = { userId: id, recipient: choice.user?.email ?? '', isVerified: true, now }
  const provider = connection.options.title
  return {
    id,
    facts,
    mails: isTold ? noticeMessages(database, 'identity_linked', { ...notified, provider }) : [],
  }
}

/** Creates an account without a password, whose address the provider of its domain has proven. */
async function createPerson(
  change: Change,
  { id, claims, person, accepted }: JoiningLogin & { id: string },
): Promise<Fact[]> {
  const { database, now } = change
  // The account was deleted since the login was read, so the hook was not asked.
  if (database.signUpHookUrl !== null && !accepted) throw new Outdated()
  const { email, preferredName, locale } = claims
  const user = {
    databaseId: database.id,
    id,
    email: email as string,
    canonicalEmail: person.canonicalEmail,
    passwordHash: null,
    ...profileOf({ preferredName, locale }),
    ...accepted,
    createdAt: now,
    generation: now.getTime(),
  }
  await insertUser(change, { user, isVerified: true })
  return [
    { type: 'user.created', userId: id },
    { type: 'user.email_verified', userId: id },
  ]
}

/** Deletes the invitation that a person accepts, and returns it. @throws {Problem} `code_invalid`; `seats_full` */
async function acceptInvited(
  change: Change,
  { databaseId, tenantId, codeId }: { databaseId: string; tenantId: string; codeId: string },
) {
  const { database, now } = change
  const pending = await findPending(change, { databaseId, codeId }, now)
  requireJoinable(database, pending)
  const { id, role } = pending as NonNullable<typeof pending>
  await deleteInvitation(change, { databaseId, tenantId, id })
  return { id, role }
}

/** Returns the role of those who join without an invitation: `member` if the database has no such role any more. */
const knownRole = ({ database }: Change, role: string | null) =>
  role && unknownRoles(database, [['role', role]]).length === 0 ? role : 'member'

/**
 * Adds a tenant to the session of a token, after a login at the provider of the tenant. The first one links the person to the user, who
 * is a member: so a guest whose address is outside the domains of the tenant can pass, too.
 *
 * @throws {Problem} `code_invalid`; `identity_taken`; `not_member`; `account_exists`; `own_login_required`; `step_up_required`;
 * `token_invalid`
 */
export async function addTenantProof(
  context: AppContext,
  request: UserRequest<AddTenantProofBody>,
): Promise<SignedInUser> {
  const { database, user, claims, body } = request
  const attempt = await requireAttempt(context, database.id, body)
  if (attempt.kind !== 'external') throw new Problem('code_invalid')
  const login = await readLogin(context, request, attempt)
  const { tenantId, at, session } = await runTwice(() =>
    runChange(context, request, (change) => addInChange(change, request, login)),
  )
  const tenants = { ...claims.proven.tenants, ...session?.ssoProofs }
  const proven = { ...claims.proven, tenants: { ...tenants, [tenantId]: Math.floor(at.getTime() / 1000) } }
  const completed = {
    user: { ...user, disabledAt: null },
    readAt: context.now(),
    tokenId: sessionIdOf(claims),
    session,
  }
  return claims.isTenantOnly
    ? completeTenantLogin(context, request, {
        ...completed,
        proof: TenantProof.of(user, tenantId, { ...proven, at: at.getTime() }),
      })
    : completeLogin(context, request, { ...completed, authentication: Authentication.ofToken(user, proven) })
}

async function addInChange(change: Change, { user, claims }: UserRequest, login: SsoLogin) {
  const { database, now } = change
  const { person } = login
  const key = { databaseId: database.id, id: login.attempt.id }
  const attempt = await findAttempt(change, key, { now, lock: true })
  if (!attempt || (attempt.usedAt && attempt.userId !== user.id)) throw new Problem('code_invalid')
  const facts = await lockFacts(change, { ...person, canonicalEmail: '', userId: user.id })
  const { tenantId, entryId, role, ownEntry, ssoAcr, ssoTrustAmr } = facts
  if (facts.user?.id !== user.id) throw new Problem('identity_taken')
  if (role === null) throw new Problem('not_member')
  const hasLevel = acrOf(claims.proven) === 'aal2' || (ssoTrustAmr && login.claims.amr?.includes('mfa'))
  if (ssoAcr === 'aal2' && !hasLevel) throw new Problem('step_up_required')
  const at = attempt.usedAt ?? now
  const linked: Fact[] = []
  if (!entryId) {
    if (claims.isTenantOnly) throw new Problem('own_login_required')
    if (ownEntry?.isCurrent) throw new Problem('account_exists')
    linked.push(await linkEntry(change, login, user.id))
  }
  if (!attempt.usedAt) await useLogin(change, login, user)
  const proofs = { [tenantId]: Math.floor(at.getTime() / 1000) }
  // The token of a login may have opened the session that has its id.
  const session = await addProofs(change, { ...key, id: sessionIdOf(claims), user }, { proofs, now })
  if (!session && claims.sessionId) throw new Problem('token_invalid')
  const loggedIn = { type: 'login.succeeded', way: 'sso', ...idsOf(login, user.id) } as const
  return { result: { tenantId, at, session }, facts: [loggedIn, ...linked] }
}
