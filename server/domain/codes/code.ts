import type { Message } from '../../store/generated/client.js'
import { type CodeUser, type FoundCode, findCode } from '../../store/queries/codes.js'
import type { Fact } from '../change.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { requireIssued, signedText } from '../keys/signed-text.js'

/** Purposes of the codes that a user gets at the current address. */
export type CodePurpose = 'password_reset' | 'email_verification'

const minuteMilliseconds = 60_000
const hourMilliseconds = 60 * minuteMilliseconds

/** How long the codes of mails are valid. */
export const lifetimeMilliseconds = {
  password_reset: hourMilliseconds,
  email_verification: 24 * hourMilliseconds,
  login_code: 10 * minuteMilliseconds,
  email_change: hourMilliseconds,
  email_change_undo: 7 * 24 * hourMilliseconds,
}

/** The longest time for which a code is valid, except that of an invitation, which is a setting. */
export const longestCodeSeconds = Math.max(...Object.values(lifetimeMilliseconds)) / 1_000

/** Returns when a code expires. */
export const endOfCode = (purpose: keyof typeof lifetimeMilliseconds, createdAt: Date) =>
  new Date(createdAt.getTime() + lifetimeMilliseconds[purpose])

/**
 * Returns when the code that a message sends expires, or undefined if it sends none. The payload of an invitation contains
 * the time.
 */
export function codeExpiresAt({ payload, createdAt }: Pick<Message, 'payload' | 'createdAt'>) {
  const { type, expiresAt } = payload as { type: string; expiresAt?: string }
  if (expiresAt) return new Date(expiresAt)
  return Object.hasOwn(lifetimeMilliseconds, type) ? endOfCode(type as CodePurpose, createdAt) : undefined
}

/** Returns a code, bound to the address to which it is sent. */
export async function issueCode(
  { findSecrets }: Pick<AppContext, 'findSecrets'>,
  { databaseId, ...code }: { databaseId: string } & Parameters<typeof signedText>[1],
) {
  return signedText(await findSecrets(databaseId), code)
}

/** Returns a code of the database if it can be used. @throws {Problem} `code_invalid` */
export const requireCode = (
  context: AppContext,
  { id: databaseId }: Database,
  { purpose, code }: { purpose: CodePurpose; code: string },
): Promise<FoundCode> =>
  requireIssued(context, databaseId, {
    purpose,
    code,
    find: (id) => findCode(context.store, { databaseId, id, purpose }, new Date(context.now())),
  })

/** Returns what the use of a code changes, apart from what the code is for. */
export const factsOfUse = ({ id: userId, isNewlyVerified }: CodeUser): Fact[] =>
  isNewlyVerified ? [{ type: 'user.email_verified', userId }] : []
