import { lockIdentityHolder } from '../../store/queries/identities.js'
import {
  type AddressHolder,
  findAddressHolder,
  type MailAttempt,
} from '../../store/queries/login-attempts.js'
import type { NewMessage } from '../../store/queries/outbox.js'
import type { Change, Fact } from '../change.js'
import type { Connection } from '../connections/connection.js'
import type { RuleDatabase } from '../databases/find-database.js'
import { type Acceptance, acceptWithSignUp, joinEvents } from '../invitations/accept.js'
import { Problem } from '../problem.js'
import { reclaim } from '../reclaim.js'
import type { CountRequest } from '../throttle/request-allowance.js'
import { link } from './link.js'
import type { NewUserFields } from './new-user-fields.js'
import { addressOf, hasDigits, type Proof } from './proof.js'
import { signUpWithoutPassword } from './sign-up-without-password.js'

/** A login to decide, in the transaction that has locked its attempt. */
export interface Undecided {
  proof: Proof
  body: NewUserFields
  /** The enabled connection of a login at a provider. */
  connection: Connection | undefined
  /** Returns the acceptance of the invitation in the request, if there is one. @param userId the user who has the address */
  acceptanceOf: (canonicalEmail: string, userId?: string) => Promise<Acceptance | undefined>
  /** Counts a sign-up. */
  count: CountRequest | undefined
}

/** Who logs in, and what that has changed. */
export interface Decided {
  userId: string
  isNewUser: boolean
  /** Whether the account is as if the user had just signed up. */
  isFirst: boolean
  facts: readonly Fact[]
  mails?: readonly NewMessage[]
}

type External = Extract<Proof, { kind: 'external' }>

/**
 * Decides who logs in: docs/api.md has the table, and docs/decisions.md the reasons. A known identity logs its user in, whatever its address is.
 * Otherwise the address decides, and only if it is proven.
 *
 * @throws {Problem} `login_refused`; `code_invalid`; `email_not_proven`; `account_exists`; those of a sign-up and of an invitation
 */
export async function decideLogin(change: Change, login: Undecided): Promise<Decided> {
  const { proof, connection } = login
  if (proof.kind === 'mail') return decideByMail(change, login, proof)
  if (!connection) throw new Problem('code_invalid')
  const { issuer, subject } = proof.claims
  const key = { databaseId: change.database.id, connection: connection.name, issuer, subject }
  const user = await lockIdentityHolder(change, key)
  return user
    ? logIn(change, login, { user, canonicalEmail: user.canonicalEmail })
    : decideByAddress(change, { ...login, proof, connection })
}

async function decideByMail(
  change: Change,
  login: Undecided,
  { attempt }: Extract<Proof, { kind: 'mail' }>,
): Promise<Decided> {
  const { canonicalEmail } = attempt
  const user = await findAddressHolder(change, change.database.id, { canonicalEmail, lock: true })
  if (user?.disabledAt) throw new Problem('login_refused')
  requireUnchanged(attempt, user)
  return user
    ? logIn(change, login, { user, canonicalEmail, isProven: true })
    : signUp(change, login, attempt)
}

/**
 * @throws {Problem} `code_invalid` if the tokens of the user were revoked since the mail was requested, the user was deleted, or has
 * another address
 */
function requireUnchanged({ generation }: MailAttempt, user: AddressHolder | undefined) {
  if (generation !== null && generation !== user?.generation) throw new Problem('code_invalid')
}

/** An identity that no user has links to the account of its address, or signs up. */
async function decideByAddress(
  change: Change,
  login: Undecided & { proof: External; connection: Connection },
): Promise<Decided> {
  const { proof, connection } = login
  const address = requireAddress(change.database, proof)
  const { canonicalEmail } = address
  const user = await findAddressHolder(change, change.database.id, { canonicalEmail, lock: true })
  if (proof.mail) requireUnchanged(proof.mail, user)
  if (!user) {
    const signedUp = await signUp(change, login, address)
    const { facts } = await link(change, {
      ...login,
      claims: proof.claims,
      user: { ...address, id: signedUp.userId, isVerified: true },
    })
    return { ...signedUp, facts: [...signedUp.facts, ...facts] }
  }
  if (address.proof === 'verified' && hasDigits(change.database)) throw notProven(proof)
  if (address.proof === 'verified' || connection.options.linkByEmail === false)
    throw new Problem('account_exists')
  const decided = await logIn(change, login, { user, canonicalEmail, isProven: true })
  const linked = await link(change, {
    ...login,
    claims: proof.claims,
    user: { ...user, isVerified: true },
  }).catch((error) => {
    // Somebody may have got the address from the user, such as with a lapsed domain.
    throw error instanceof Problem ? new Problem('account_exists', { cause: error }) : error
  })
  return { ...decided, facts: [...decided.facts, ...linked.facts], mails: linked.mails ?? [] }
}

const notProven = ({ claims: { email, preferredName } }: External, detail?: string) =>
  new Problem('email_not_proven', { profile: { email, preferredName }, ...(detail && { detail }) })

/** @throws {Problem} `email_not_proven`; `code_invalid` if the mail was sent to another address */
function requireAddress(database: RuleDatabase, proof: External) {
  const claimed = addressOf({ ...proof, mail: undefined })
  const address = addressOf(proof)
  if (address && claimed && address.canonicalEmail !== claimed.canonicalEmail)
    throw new Problem('code_invalid')
  if (address?.proof) return { ...address, proof: address.proof }
  const detail = 'The provider does not prove the address, and this database mails no codes to log in.'
  throw notProven(proof, hasDigits(database) ? undefined : detail)
}

async function signUp(
  change: Change,
  { proof, body, acceptanceOf, count }: Undecided,
  address: { email: string; canonicalEmail: string },
): Promise<Decided> {
  const acceptance = await acceptanceOf(address.canonicalEmail)
  const claims = proof.kind === 'external' ? proof.claims : undefined
  const signedUp = await signUpWithoutPassword(change, body, { address, claims, acceptance, count })
  return { ...signedUp, isNewUser: true, isFirst: true }
}

interface Known {
  user: Pick<AddressHolder, 'id' | 'emailVerifiedAt' | 'disabledAt'>
  canonicalEmail: string
  /** Whether the login has proven the address. The first proof gives the account to the owner of the address. */
  isProven?: boolean
}

async function logIn(
  change: Change,
  { proof, acceptanceOf }: Undecided,
  { user, canonicalEmail, isProven = false }: Known,
): Promise<Decided> {
  const { id: userId, disabledAt, emailVerifiedAt } = user
  if (disabledAt) throw new Problem('login_refused')
  const isReclaimed = isProven && emailVerifiedAt === null
  const reclaimed = isReclaimed ? await reclaim(change, userId) : []
  const acceptance = await acceptanceOf(canonicalEmail, userId)
  if (acceptance) await acceptWithSignUp(change, acceptance, async () => undefined)
  const joined = acceptance ? joinEvents(acceptance) : []
  return {
    userId,
    isNewUser: false,
    isFirst: isReclaimed,
    facts: [{ type: 'login.succeeded', userId, ...wayOf(proof) }, ...reclaimed, ...joined],
  }
}

const wayOf = (proof: Proof) =>
  proof.kind === 'mail'
    ? ({ way: 'mail' } as const)
    : ({ way: 'external', connection: proof.attempt.connection } as const)
