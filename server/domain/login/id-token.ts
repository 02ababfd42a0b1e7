import { createHash } from 'node:crypto'
import type { FinishedLogin, LoginWithIdTokenBody } from '@usher/contract'
import { insertReturned } from '../../store/queries/login-attempts.js'
import { audit } from '../../telemetry/audit.js'
import type { Connection } from '../connections/connection.js'
import { requireConnection } from '../connections/find-connections.js'
import type { AppContext } from '../context.js'
import { isEqual } from '../keys/database-secrets.js'
import { challengeOf, signedText } from '../keys/signed-text.js'
import { ifDatabaseDeleted, Problem } from '../problem.js'
import { verifyIdToken } from '../providers/exchange-code.js'
import type { Provider } from '../providers/find-provider.js'
import { type ProviderClaims, readClaims } from '../providers/identify.js'
import { ProviderError, withinTime } from '../providers/provider-fetch.js'
import type { DatabaseRequest } from '../request.js'
import { finishLogin } from './finish.js'
import {
  countForged,
  requireAllowance,
  requireProvider,
  requireState,
  returnedClaims,
  unavailableProvider,
} from './provider.js'

/**
 * Logs in with an ID token that the app has from the provider: as if the provider had led a browser back. A repeated request finds
 * the login.
 *
 * @throws {Problem} `code_invalid` if token or state are not valid; `connection_not_found`; `provider_unavailable`;
 * `too_many_attempts`; those of {@link finishLogin}
 */
export async function loginWithIdToken(
  context: AppContext,
  request: DatabaseRequest<LoginWithIdTokenBody>,
): Promise<FinishedLogin> {
  const { store, now, findSecrets } = context
  const { database, caller } = request
  const { state, idToken, ...body } = request.body
  const {
    id,
    challenge,
    expiresAt,
    nonce,
    connection: name,
  } = await requireState(context, request, { state })
  const connection = await requireConnection(context, database.id, name)
  requireAllowance(context, request)
  // Nobody else can store a login under this id, and lead its client into another account.
  const isStarter = isEqual(challengeOf(body.verifier), challenge)
  if (now() >= expiresAt || !isStarter) throw new Problem('code_invalid')
  const provider = await requireProvider(context, request, connection)
  const claims = await read(provider, connection, { idToken, nonce }).catch(async (error) => {
    if (!(error instanceof ProviderError)) throw error
    if (error.code === 'provider_unavailable') throw unavailableProvider(request, connection, error)
    audit(caller.log, 'login.failed', { databaseId: database.id, way: 'external', connection: name })
    caller.log.warn({ databaseId: database.id, reason: error.message }, 'an ID token was rejected')
    await countForged(context, request)
    throw new Problem('code_invalid', { cause: error })
  })
  const row = { databaseId: database.id, id, challenge, connection: name, ...returnedClaims(claims, now()) }
  await insertReturned(store, row).catch(ifDatabaseDeleted())
  const code = signedText(await findSecrets(database.id), { purpose: 'external_code', id })
  return finishLogin(context, { ...request, body: { ...body, code } })
}

/** Returns what a token says. Its nonce is that of the login, or its SHA-256, because libraries of phones differ. */
const read = (
  provider: Provider,
  connection: Connection,
  { idToken, nonce }: { idToken: string; nonce: string },
): Promise<ProviderClaims> =>
  withinTime(async () => {
    const claims = await verifyIdToken(provider, idToken, {
      audiences: [connection.clientId, ...(connection.options.audiences ?? [])],
      nonces: [nonce, createHash('sha256').update(nonce).digest('hex')],
    })
    return readClaims(connection, { profile: claims, email: claims })
  })
