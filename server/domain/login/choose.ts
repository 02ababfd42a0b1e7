import type { FinishLoginBody } from '@usher/contract'
import type { FoundInvitation, PendingInvitation } from '../../store/queries/acceptances.js'
import type { IdentityHolder, ListedIdentity } from '../../store/queries/identities.js'
import type { MailAttempt, ReturnedAttempt } from '../../store/queries/login-attempts.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import type { Connection } from '../connections/connection.js'
import { loginMailOf, type RuleDatabase } from '../databases/find-database.js'
import { requireJoinable } from '../invitations/accept.js'
import { Problem } from '../problem.js'
import type { ProviderClaims } from '../providers/identify.js'

// Who logs in: docs/api.md has the table, and docs/decisions.md the reasons. A known identity logs its user in, whatever its address
// is. Otherwise the address decides, and only if it is proven.

/** What the client has proven: that it has received a mail, or that a provider knows the person. */
export type Proof =
  | { kind: 'mail'; attempt: MailAttempt }
  | {
      kind: 'external'
      attempt: ReturnedAttempt
      claims: ProviderClaims
      /** A mail that proves the address. */
      mail: MailAttempt | undefined
    }

/** What a login that may sign up a person takes, however it is proven. */
export type NewUserFields = Omit<FinishLoginBody, 'code' | 'login' | 'digits'>

/** The user of a login. The address is known if it has found the user. */
export type Holder = IdentityHolder & { email?: string }

/** What decides a login. The transaction that logs in reads it again, with locks. */
export interface Facts {
  proof: Proof
  body: NewUserFields
  /** That of a login at a provider, if it is enabled. */
  connection: Connection | undefined
  /** Who has the identity, or else the address. After the attempt was used: who has logged in. */
  user: Holder | undefined
  isKnownIdentity: boolean
  /** Those of the user. */
  identities: readonly ListedIdentity[]
  /** That of the code in the request. */
  invitation: FoundInvitation | undefined
  pending: PendingInvitation | undefined
}

/** What a login does. `repeat`: it was finished a moment ago, and succeeds again. */
export type Choice =
  | { kind: 'repeat' }
  | { kind: 'signUp'; address: { email: string; canonicalEmail: string } }
  | {
      kind: 'logIn'
      user: Holder
      /** Whether this login gives the account to the owner of its address, who has never proven it before. */
      isReclaimed: boolean
      /** Whether the identity is new to the user. */
      isLinked: boolean
    }

/**
 * Decides what a login does.
 *
 * @throws {Problem} `code_invalid`; `login_refused`; `email_not_proven`; `account_exists`; `account_missing`; `sign_up_closed`;
 * `invitation_for_other_address`; `seats_full`
 */
export function choose(database: RuleDatabase, facts: Facts): Choice {
  const { proof, connection, user } = facts
  const { attempt } = proof
  if (proof.kind === 'external' && !connection) throw new Problem('code_invalid')
  if (attempt.usedAt) {
    if (user?.generation !== attempt.generation) throw new Problem('code_invalid')
    return { kind: 'repeat' }
  }
  if (user && facts.isKnownIdentity) return logIn(database, facts, { user, isProven: false })
  const address = requireAddress(database, proof)
  if (proof.kind === 'mail' && user?.disabledAt) throw new Problem('login_refused')
  const mail = proof.kind === 'mail' ? proof.attempt : proof.mail
  // The tokens of the user were revoked since the mail was requested, the user was deleted, or has another address.
  const isUnchanged = !mail || mail.generation === null || mail.generation === user?.generation
  if (!isUnchanged) throw new Problem('code_invalid')
  if (!user) return signUp(database, facts, address)
  if (proof.kind === 'external') {
    if (address.proof === 'verified' && hasDigits(database)) throw notProven(proof)
    if (address.proof === 'verified' || connection?.options.linkByEmail === false)
      throw new Problem('account_exists')
  }
  return logIn(database, facts, { user, isProven: true })
}

function signUp(
  database: RuleDatabase,
  facts: Facts,
  address: { email: string; canonicalEmail: string },
): Choice {
  const { proof, body } = facts
  const { email, canonicalEmail } = address
  requireInvited(facts, canonicalEmail)
  const { preferredName = proof.kind === 'external' ? proof.claims.preferredName : null } = body
  if (body.mayCreate === false) throw new Problem('account_missing', { profile: { email, preferredName } })
  if (!database.signUp && !body.invitationCode) throw new Problem('sign_up_closed')
  if (body.invitationCode) requireJoinable(database, facts.pending)
  return { kind: 'signUp', address: { email, canonicalEmail } }
}

function logIn(
  database: RuleDatabase,
  facts: Facts,
  { user, isProven }: { user: Holder; isProven: boolean },
): Choice {
  const { proof, body, connection, isKnownIdentity, identities } = facts
  if (user.disabledAt) throw new Problem('login_refused')
  requireInvited(facts, user.canonicalEmail)
  if (body.invitationCode) requireJoinable(database, facts.pending)
  const isReclaimed = isProven && user.emailVerifiedAt === null
  if (proof.kind === 'mail' || isKnownIdentity) return { kind: 'logIn', user, isReclaimed, isLinked: false }
  const linked = isReclaimed ? undefined : identities.find((each) => each.connection === connection?.name)
  const { issuer, subject } = proof.claims
  // Somebody may have got the address from the user, such as with a lapsed domain.
  if (linked && (linked.issuer !== issuer || linked.subject !== subject)) throw new Problem('account_exists')
  return { kind: 'logIn', user, isReclaimed, isLinked: !linked }
}

/** @throws {Problem} `code_invalid`; `invitation_for_other_address` */
function requireInvited({ body, invitation }: Facts, canonicalEmail: string) {
  if (!body.invitationCode) return
  if (!invitation) throw new Problem('code_invalid')
  if (invitation.canonicalEmail !== canonicalEmail) throw new Problem('invitation_for_other_address')
}

type External = Extract<Proof, { kind: 'external' }>

const notProven = ({ claims: { email, preferredName } }: External, detail?: string) =>
  new Problem('email_not_proven', { profile: { email, preferredName }, ...(detail && { detail }) })

/** @throws {Problem} `email_not_proven`; `code_invalid` if the mail was sent to another address */
function requireAddress(database: RuleDatabase, proof: Proof) {
  if (proof.kind === 'mail') return { ...proof.attempt, proof: 'authoritative' } as const
  const address = addressOf(proof)
  const claimed = addressOf({ ...proof, mail: undefined })
  if (address && claimed && address.canonicalEmail !== claimed.canonicalEmail)
    throw new Problem('code_invalid')
  if (address?.proof) return address
  const detail = 'The provider does not prove the address, and this database mails no codes to log in.'
  throw notProven(proof, hasDigits(database) ? undefined : detail)
}

/** Returns the address of a login, and what proves it. Undefined if there is none. */
export function addressOf(proof: Proof) {
  if (proof.kind === 'mail') return { ...proof.attempt, proof: 'authoritative' } as const
  const { mail, claims } = proof
  if (mail) return { ...mail, proof: 'authoritative' } as const
  const { email, emailProof } = claims
  return email === null
    ? undefined
    : { email, canonicalEmail: requireCanonicalEmail(email), proof: emailProof }
}

/** Returns whether the mail of a login has digits. */
export const hasDigits = (database: RuleDatabase) => ['code', 'both'].includes(loginMailOf(database))
