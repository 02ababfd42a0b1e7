import type { VerifiedEmail, VerifyEmailBody } from '@usher/contract'
import { useVerificationCode } from '../../store/queries/codes.js'
import { runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest, UserRequest } from '../request.js'
import { factsOfUse, requireCode } from './code.js'

/**
 * Marks an address as verified with a code that was sent to it. A rejected request does not use up the code.
 *
 * @throws {Problem} `code_invalid`, also if code and token belong to different users; `token_missing` if the database
 * requires a token
 */
export async function verifyEmail(
  context: AppContext,
  request: DatabaseRequest<VerifyEmailBody> & Partial<UserRequest>,
): Promise<VerifiedEmail> {
  const { database, user, body } = request
  if (!user && database.verifyEmailWithToken) throw new Problem('token_missing')
  const found = await requireCode(context, database, { purpose: 'email_verification', code: body.code })
  if (user && user.id !== found.userId) throw new Problem('code_invalid')
  return runChange(context, request, async (change) => {
    const verified = await useVerificationCode(change, { databaseId: database.id, ...found }, change.now)
    if (!verified) throw new Problem('code_invalid')
    return { result: { email: verified.email }, facts: factsOfUse(verified) }
  })
}
