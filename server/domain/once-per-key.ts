import type { IdempotencyHeaders } from '@usher/contract/management'
import { isStoreUnavailable, isUniqueViolation } from '../store/errors.js'
import { findApiRequest, insertApiRequest } from '../store/queries/api-requests.js'
import { type Change, type Rule, runChange } from './change.js'
import type { AppContext } from './context.js'
import { Problem } from './problem.js'
import type { KeyRequest } from './request.js'
import { hashIdempotencyKey, replayMilliseconds } from './users/idempotent-replay.js'

/** An operation of the management API that creates something. */
interface KeyedOperation<Result, Response> {
  /** Its name in the contract. An Idempotency-Key belongs to one operation and one API key. */
  operation: string
  /** Fields of the response that are secret. A repeated request gets null in their place. */
  secrets?: readonly string[]
  /** Returns the rule, after work that must not keep a transaction open. */
  prepare: () => Promise<Rule<Result>>
  responseOf: (result: Result) => Response
  /** Returns the user whom the response shows. The response is deleted with the user. */
  userOf?: (result: Result) => string
}

type KeyedRequest = KeyRequest & { params: object; headers: IdempotencyHeaders }

/**
 * Runs a rule once per Idempotency-Key. The response is stored in the transaction of the change, so that both are stored or
 * neither. A repeated request within 24 hours gets the response of the first one. Without a key, only runs the rule.
 *
 * @throws {Problem} `idempotency_key_reused` if the path or the body differs from that of the first request
 */
export async function changeOncePerKey<Result, Response extends object>(
  context: AppContext,
  request: KeyedRequest,
  { operation, secrets = [], prepare, responseOf, userOf }: KeyedOperation<Result, Response>,
): Promise<Response> {
  const header = request.headers['idempotency-key']
  if (header === undefined) return responseOf(await runChange(context, request, await prepare()))
  const use = JSON.stringify([request.apiKey.id, operation, header])
  const { replay, keep } = await keptResponse(context, request, use)
  const previous = await replay()
  if (previous) return previous as Response
  try {
    const rule = await prepare()
    const result = await runChange(context, request, async (change) => {
      const outcome = await rule(change)
      const nulls = Object.fromEntries(secrets.map((name) => [name, null]))
      await keep(change, { ...responseOf(outcome.result), ...nulls }, userOf?.(outcome.result))
      return outcome
    })
    return responseOf(result)
  } catch (error) {
    if (isStoreUnavailable(error)) throw error
    // A concurrent request with this key may have caused the error.
    const concurrent = await replay()
    if (concurrent) return concurrent as Response
    throw isUniqueViolation(error) ? new Problem('unavailable', { cause: error }) : error
  }
}

/** Returns functions that read and store the response of a request. @param use of the Idempotency-Key */
async function keptResponse(context: AppContext, request: KeyedRequest, use: string) {
  const { database, params, body } = request
  const id = { databaseId: database.id, key: hashIdempotencyKey(use) }
  const content = JSON.stringify([params, body])
  const { sign, verify } = await context.findSecrets(database.id)
  return {
    async replay() {
      const found = await findApiRequest(context.store, id, new Date(context.now() - replayMilliseconds))
      if (found && !verify(found.fingerprint, 'api_request', content))
        throw new Problem('idempotency_key_reused')
      return found?.response
    },
    keep: (change: Change, response: object, userId: string | null = null) =>
      insertApiRequest(change, {
        ...id,
        fingerprint: sign('api_request', content),
        response,
        userId,
        createdAt: change.now,
      }),
  }
}
