import { lockUser, type UserLock } from '../store/queries/changed-user.js'
import { type NewMessage, storeMessages } from '../store/queries/outbox.js'
import type { SsoProofs } from '../store/queries/sessions.js'
import { hasVerifiedAddress } from '../store/queries/users.js'
import type { UserOfToken } from '../store/queries/users-of-tokens.js'
import type { Queries, Store } from '../store/store.js'
import { type AuditEvent, type AuditFields, audit, type Log } from '../telemetry/audit.js'
import type { ApiKey } from './api-keys/admit-api-key.js'
import type { AppContext } from './context.js'
import type { RuleDatabase } from './databases/find-database.js'
import { type Event, eventChannels, eventMessages, isEvent } from './events/events.js'
import { inLanguages, mailMessage } from './notices/mail-message.js'
import { isNoticeOn, type Notice } from './notices/notice.js'
import { ifDatabaseDeleted, Problem, userNotFound } from './problem.js'
import type { DatabaseRequest } from './request.js'
import type { CountRequest, Refusal } from './throttle/request-allowance.js'
import type { LimitedRequest } from './throttle/request-limits.js'

/** A user of the operators' database. */
export type ConsoleOperator = Pick<UserOfToken, 'id' | 'email'>

/** What the token of a user says about the session, for the rules of single sign-on. */
interface ShownClaims {
  proven: { amr: readonly string[]; tenants?: SsoProofs | undefined }
  isTenantOnly: boolean
}

/** Who makes a change. A rule asks the actor for authority, in one place: `requireLocked`, `lockTenant`, `requireScope`. */
export type Actor =
  | { kind: 'user'; user: UserOfToken; claims?: ShownClaims }
  | { kind: 'backend'; apiKey: ApiKey }
  /** A command of the host, or an operator of the console. */
  | { kind: 'operator'; operator?: ConsoleOperator }
  /** Who has opened the portal of a tenant: the administrator of a customer. It has rights to single sign-on of this tenant only. */
  | { kind: 'portal'; portal: Portal }
  /** A request without a token, such as one with a code of a mail. It has no rights of its own. */
  | { kind: 'visitor' }

/** A portal in which single sign-on of a tenant is set up. */
export interface Portal {
  id: string
  tenantId: string
  /** Whether it may require single sign-on of the members. */
  mayRequire: boolean
}

/** What a rule gets: the open transaction of its change, the database, the time, and the actor. */
export interface Change extends Queries {
  database: RuleDatabase
  now: Date
  actor: Actor
}

/** One thing that a rule has changed. It becomes an audit line, and an event if its type is one. */
export type Fact = Omit<AuditFields, 'databaseId' | 'actorId'> & { type: AuditEvent }

/** What a rule returns. */
export interface Outcome<Result> {
  result: Result
  facts: readonly Fact[]
  /** Events that follow from the facts, and are not audited: a deleted tenant can have had many members. */
  events?: readonly Event[]
  /** Mails that the change sends. */
  mails?: readonly NewMessage[]
}

export type Rule<Result> = (change: Change) => Promise<Outcome<Result>>

/** What a process needs to run rules. Commands deliver nothing: a server finds their messages. */
export interface ChangeContext extends Pick<AppContext, 'now' | 'deliver'> {
  store: Pick<Store, 'transaction'>
}

/** A request to change something in a database. */
export interface ChangeRequest {
  database: RuleDatabase
  caller: { log: Omit<Log, 'info' | 'warn'>; languages?: readonly string[] }
  actor: Actor
}

/** Some fields. An absent or undefined one does not change. */
export type Changes<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined }

/**
 * Runs a rule in a transaction, with the events of its facts and its mails. After the commit, audits each fact and starts the
 * deliveries. The rule writes nothing of this itself.
 *
 * @throws {Problem} `database_not_found` if the database was deleted meanwhile
 */
export async function runChange<Result>(
  { store, now, deliver }: ChangeContext,
  { database, caller, actor }: ChangeRequest,
  rule: Rule<Result>,
): Promise<Result> {
  const at = new Date(now())
  const change = store.transaction(database.id, async (query) => {
    const { result, facts, events = [], mails = [] } = await rule({ query, database, now: at, actor })
    const caused = [...events, ...facts.flatMap(eventOf)].map((event) => ({ ...event, ...keyOf(actor) }))
    // The languages of a backend or of an operator are not those of the user.
    const isOther = actor.kind === 'backend' || actor.kind === 'operator'
    const sent = inLanguages(mails, isOther ? [] : (caller.languages ?? []))
    await storeMessages({ query }, [...eventMessages(database, at, caused), ...sent])
    return { result, facts, messages: [...(caused.length > 0 ? eventChannels(database) : []), ...mails] }
  })
  const { result, facts, messages } = await change.catch(ifDatabaseDeleted(database))
  for (const { type, role, way, ...ids } of facts) {
    const isOther = actor.kind === 'user' && actor.user.id !== ids.userId
    const who = isOther ? { actorId: actor.user.id } : { ...keyOf(actor), ...operatorOf(actor) }
    audit(caller.log, type, {
      databaseId: database.id,
      ...ids,
      ...who,
      ...(actor.kind === 'portal' && { portal: actor.portal.id }),
      ...(role && { role }),
      ...(way && { way }),
    })
  }
  if (messages.length > 0) deliver(messages)
  return result
}

/**
 * Runs a rule that sends a mail, unless a limit of mails is reached. Audits a mail that is not sent.
 *
 * @param rule counts the mail, in its transaction
 * @returns the result of the rule, or why it was rolled back
 */
export async function runWithinLimits<Result extends object>(
  context: ChangeContext & Pick<AppContext, 'requestAllowance'>,
  request: ChangeRequest,
  {
    limited,
    rule,
  }: { limited: LimitedRequest; rule: (change: Change, count: CountRequest) => ReturnType<Rule<Result>> },
): Promise<Result | Refusal> {
  const { database, caller } = request
  const result = await context.requestAllowance.count(database, limited, (count) =>
    runChange(context, request, (change) => rule(change, count)),
  )
  if ('limit' in result) audit(caller.log, 'mail.throttled', { databaseId: database.id, limit: result.limit })
  return result
}

/** Returns the event of a fact, if there is one. */
const eventOf = ({ type, role: _role, way: _way, ...ids }: Fact): Event[] =>
  isEvent(type) ? [{ type, ...ids }] : []

const keyOf = (actor: Actor) => (actor.kind === 'backend' ? { apiKey: actor.apiKey.id } : {})

/** Returns what an audit line says about an operator of the console. */
export const operatorOf = (actor: Actor) =>
  actor.kind === 'operator' && actor.operator ? { operatorId: actor.operator.id } : {}

/**
 * Sends a notice of an event that changed no credential, unless the user has received too many or never verified the address.
 * A failure is only logged, because the event itself is already stored.
 */
export async function sendNotice(
  context: Pick<AppContext, 'store' | 'requestAllowance' | 'deliver' | 'now'>,
  request: Pick<DatabaseRequest, 'database' | 'caller' | 'actor'>,
  { notice, userId, isWanted }: { notice: Notice; userId: string; isWanted?: () => Promise<boolean> },
) {
  const { database, caller } = request
  const databaseId = database.id
  if (!isNoticeOn(database, notice)) return
  try {
    if (isWanted && !(await isWanted())) return
    if (!(await hasVerifiedAddress(context.store, { databaseId, userId }))) return
    await runWithinLimits(context, request, {
      limited: { purpose: 'notice', userId },
      async rule(change, count) {
        await count(change)
        const mail = mailMessage({ databaseId, type: notice, userId }, change.now)
        return { result: mail, facts: [], mails: [mail] }
      },
    })
  } catch (error) {
    caller.log.warn({ err: error, databaseId, userId, notice }, 'a notice was not stored')
  }
}

/**
 * Locks a user until the transaction ends, and returns the user. Backends and operators may change any user. The user of a token
 * may change that user only.
 *
 * @throws {Problem} `user_not_found`; `token_invalid` if the user who acts has changed since the request read it
 */
export async function requireLocked(change: Change, userId: string, lock: UserLock = 'NO KEY UPDATE') {
  const { actor, database } = change
  const user = await lockUser(change, { databaseId: database.id, id: userId }, lock)
  if (actor.kind === 'user') {
    const { id, generation } = actor.user
    if (user?.id === id && user.generation === generation && !user.disabledAt) return user
    throw new Problem('token_invalid')
  }
  if (!user || actor.kind === 'visitor' || actor.kind === 'portal') throw userNotFound(database, userId)
  return user
}
