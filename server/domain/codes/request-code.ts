import type { ProofHeaders, RequestPasswordResetBody } from '@usher/contract'
import { findUserId } from '../../store/queries/codes.js'
import { requireProof } from '../bot-check.js'
import { requireCanonicalEmail } from '../canonical-email.js'
import { type Change, type Fact, runWithinLimits } from '../change.js'
import type { AppContext } from '../context.js'
import { mailMessage } from '../notices/mail-message.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import type { CodePurpose } from './code.js'

/**
 * Sends a mail with a code to the user with an address. The response reveals neither whether the user exists nor
 * whether the mail is sent.
 *
 * @throws {Problem} `proof_required`; `proof_invalid`
 */
export async function requestPasswordReset(
  context: AppContext,
  request: DatabaseRequest<RequestPasswordResetBody> & { headers: ProofHeaders },
) {
  await requireProof(context, request, { operation: 'requestPasswordReset', purpose: 'password_reset' })
  const canonicalEmail = requireCanonicalEmail(request.body.email)
  return requestCode(context, request, {
    purpose: 'password_reset',
    fact: 'password_reset.requested',
    canonicalEmail,
    findUserId: (change) => findUserId(change, change.database.id, canonicalEmail),
  })
}

/**
 * Sends a mail with a code to the user of a token, unless the address is verified.
 *
 * @throws {Problem} `too_many_mails`
 */
export async function requestEmailVerification(context: AppContext, request: UserRequest) {
  const { user } = request
  if (user.emailVerifiedAt) return
  const verification = verificationOf(user.id, requireCanonicalEmail(user.email))
  const sent = await requestCode(context, request, verification)
  if ('limit' in sent) throw new Problem('too_many_mails', sent)
}

/**
 * Sends a mail with a code to a user who has signed up, if the database wants it and its app can use the code. A failure is only
 * logged, because the user is already stored and can request the mail.
 */
export async function sendVerificationAtSignUp(
  context: AppContext,
  request: Pick<DatabaseRequest, 'database' | 'caller' | 'actor'>,
  { id, canonicalEmail }: { id: string; canonicalEmail: string },
) {
  const { verifyEmailAtSignUp, accountOperations, appUrl } = request.database
  if (!verifyEmailAtSignUp || !accountOperations || appUrl === null) return
  try {
    await requestCode(context, request, verificationOf(id, canonicalEmail))
  } catch (error) {
    const { caller, database } = request
    caller.log.warn({ err: error, databaseId: database.id, userId: id }, 'a verification was not stored')
  }
}

const verificationOf = (userId: string, canonicalEmail: string): RequestedCode => ({
  purpose: 'email_verification',
  fact: 'email_verification.requested',
  canonicalEmail,
  findUserId: async () => userId,
})

/** A requested code. */
interface RequestedCode {
  purpose: CodePurpose
  fact: Fact['type']
  canonicalEmail: string
  /** Returns undefined to send nothing. */
  findUserId: (change: Change) => Promise<string | undefined>
}

/**
 * Counts a request for a code, and stores the message that sends it unless there were too many. The code itself is
 * created when the message is delivered, so a request does the same work whether or not the user exists.
 *
 * @returns the message, or the limit that is reached
 */
const requestCode = (
  context: AppContext,
  request: Pick<DatabaseRequest, 'database' | 'caller' | 'actor'>,
  { purpose, fact, canonicalEmail, findUserId }: RequestedCode,
) =>
  runWithinLimits(context, request, {
    limited: { purpose, canonicalEmail, clientAddress: request.caller.clientAddress },
    async rule(change, count) {
      await count(change)
      const userId = await findUserId(change)
      const mail = mailMessage({ databaseId: change.database.id, type: purpose, userId }, change.now)
      return { result: mail, facts: [{ type: fact, ...(userId && { userId }) }], mails: [mail] }
    },
  })
