import { randomUUID } from 'node:crypto'
import type { Confirmation, Session } from '@usher/contract'
import type {
  CommandLineCode,
  CreateCommandLineCodeBody,
  UseCommandLineCodeBody,
} from '@usher/contract/operator'
import { findUserOfToken } from '../../store/queries/users-of-tokens.js'
import type { Caller } from '../caller.js'
import type { AppContext } from '../context.js'
import type { Database } from '../databases/find-database.js'
import { issueConfirmation, requireConfirmation } from '../factors/confirm.js'
import { isEqual } from '../keys/database-secrets.js'
import { challengeOf, readSignedValue, signedValue } from '../keys/signed-text.js'
import { Problem } from '../problem.js'
import type { UserRequest } from '../request.js'
import { openSession } from '../sessions/open-session.js'
import { sessionIdOf } from '../tokens/access-token.js'
import type { Proven } from '../tokens/authentication.js'
import type { OwnRequest } from './operator-request.js'
import { requireOperators } from './operators-database.js'

// Nothing is stored until a code is used: it is signed text. The session that it opens has its id, so that it opens one.

/** What a code says. */
interface Allowed {
  /** The id of the session that the code opens. */
  id: string
  userId: string
  /** A revocation since then ends the code. */
  generation: number
  /** SHA-256 of the verifier, which only the command line has. */
  challenge: string
  name: string
  /** What the operator has proven in the browser. */
  proven: Proven
  /** The confirmation that was given in the browser. */
  confirmed: { amr: readonly string[]; expiresAt: number }
  expiresAt: number
}

/** How long a code is valid. Within this time after a login, `openSession` opens a session. */
const lifetimeSeconds = 120

const purposes = { login: 'command_line_login', confirmation: 'command_line_confirmation' } as const

/** Returns a code with which a command line gets a session, or a confirmation, of the operator. */
export async function createCommandLineCode(
  context: AppContext,
  {
    operators,
    user,
    claims,
    body,
    headers,
  }: OwnRequest<CreateCommandLineCodeBody> & {
    headers: { 'usher-confirmation'?: string | undefined }
  },
): Promise<CommandLineCode> {
  const { purpose, challenge, name } = body
  const request = { database: operators, user, claims } as UserRequest
  const text = headers['usher-confirmation'] ?? ''
  const { amr, expiresAt } = await requireConfirmation(context, request, { text })
  const code = signedValue(await context.findSecrets(operators.id), purposes[purpose], {
    id: randomUUID(),
    userId: user.id,
    generation: user.generation,
    challenge,
    name,
    proven: claims.proven,
    confirmed: { amr, expiresAt },
    expiresAt: context.now() + lifetimeSeconds * 1000,
  } satisfies Allowed)
  return { code, expiresIn: lifetimeSeconds }
}

/**
 * Opens the session of a command line, with what the operator has proven in the browser.
 *
 * @throws {Problem} `code_invalid`, also if the operator was disabled, or the operator's tokens were revoked meanwhile;
 * `session_not_opened` if the code was used
 */
export async function openCommandLineSession(
  context: AppContext,
  { body, caller }: { body: UseCommandLineCodeBody; caller: Caller },
): Promise<Session> {
  const database = await requireOperators(context)
  const { allowed, user } = await requireAllowed(context, database, { purpose: 'login', body })
  const { id, name: label, proven, generation, expiresAt } = allowed
  const claims = {
    id,
    key: { databaseId: database.id, id: user.id, sessionId: id },
    sessionId: undefined,
    generation,
    proven,
    isTenantOnly: false,
    issuedAt: expiresAt / 1000 - lifetimeSeconds,
  }
  const actor = { kind: 'user', user } as const
  return openSession(context, { database, caller, actor, body: { label }, user, claims })
}

/**
 * Returns the confirmation of the browser for the session of a command line.
 *
 * @throws {Problem} `code_invalid`, also if another operator has given it
 */
export async function createCommandLineConfirmation(
  context: AppContext,
  { operators, user, claims, body }: OwnRequest<UseCommandLineCodeBody>,
): Promise<Confirmation> {
  const { allowed } = await requireAllowed(context, operators, { purpose: 'confirmation', body })
  if (allowed.userId !== user.id) throw new Problem('code_invalid')
  const tokenId = sessionIdOf(claims)
  return issueConfirmation(context, operators, { user, tokenId, ...allowed.confirmed })
}

/** Returns what an operator has allowed the owner of a verifier, and the operator. @throws {Problem} `code_invalid` */
async function requireAllowed(
  { findSecrets, store, now }: AppContext,
  { id: databaseId }: Database,
  {
    purpose,
    body: { code: text, verifier },
  }: { purpose: keyof typeof purposes; body: UseCommandLineCodeBody },
) {
  const read = { purpose: purposes[purpose], text, now: now() }
  const allowed = readSignedValue<Allowed>(await findSecrets(databaseId), read)?.value
  if (!allowed || !isEqual(challengeOf(verifier), allowed.challenge)) throw new Problem('code_invalid')
  const user = await findUserOfToken(store, { databaseId, id: allowed.userId })
  if (user?.generation !== allowed.generation) throw new Problem('code_invalid')
  return { allowed, user }
}
