import type { IdempotencyHeaders } from '@usher/contract/management'
import { isStoreUnavailable, isUniqueViolation } from '../../store/errors.js'
import { findApiRequest, insertApiRequest } from '../../store/queries/api-requests.js'
import type { Store } from '../../store/store.js'
import { type Rule, runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { KeyRequest } from '../request.js'
import { hashIdempotencyKey, replayMilliseconds } from '../users/idempotent-replay.js'

/**
 * Stores the response of a request in the transaction of its change, so that both are stored or neither. Does nothing
 * without an Idempotency-Key.
 *
 * @param userId the user whom the response shows. The response is deleted with the user
 */
export type KeepResponse<Response> = (
  transaction: Pick<Store, 'query'>,
  response: Response,
  userId?: string,
) => Promise<unknown>

/** An operation of the management API that creates something. */
interface KeyedOperation<Response> {
  /** Its name in the contract. An Idempotency-Key belongs to one operation and one API key. */
  operation: string
  /** Fields of the response that are secret. A repeated request gets null in their place. */
  secrets?: readonly string[]
  /** Carries out the request. Calls its parameter in the transaction of the change, after all other statements. */
  work: (keep: KeepResponse<Response>) => Promise<Response>
}

type KeyedRequest = KeyRequest & { params: object; headers: IdempotencyHeaders }

/**
 * Runs a rule once per Idempotency-Key: see {@link oncePerKey}. The response is stored with the change.
 *
 * @param operation.prepare returns the rule, after work that must not keep a transaction open
 */
export const changeOncePerKey = <Result, Response extends object>(
  context: AppContext,
  request: KeyedRequest,
  {
    prepare,
    responseOf,
    userOf,
    ...operation
  }: Omit<KeyedOperation<Response>, 'work'> & {
    prepare: () => Promise<Rule<Result>>
    responseOf: (result: Result) => Response
    /** Returns the user whom the response shows. */
    userOf?: (result: Result) => string
  },
) =>
  oncePerKey(context, request, {
    ...operation,
    work: async (keep: KeepResponse<Response>) => {
      const prepared = await prepare()
      const keeping: Rule<Result> = async (change) => {
        const outcome = await prepared(change)
        await keep(change, responseOf(outcome.result), userOf?.(outcome.result))
        return outcome
      }
      return responseOf(await runChange(context, request, keeping))
    },
  })

/**
 * Carries out a request once per Idempotency-Key. A repeated request within 24 hours gets the response of the first one.
 *
 * @throws {Problem} `idempotency_key_reused` if the path or the body differs from that of the first request
 */
export async function oncePerKey<Response extends object>(
  context: AppContext,
  request: KeyedRequest,
  { operation, secrets = [], work }: KeyedOperation<Response>,
): Promise<Response> {
  const { database, apiKey, params, body, headers } = request
  const header = headers['idempotency-key']
  if (header === undefined) return work(async () => undefined)
  const id = {
    databaseId: database.id,
    key: hashIdempotencyKey(JSON.stringify([apiKey.id, operation, header])),
  }
  const content = JSON.stringify([params, body])
  const { sign, verify } = await context.findSecrets(database.id)

  async function replay() {
    const found = await findApiRequest(context.store, id, new Date(context.now() - replayMilliseconds))
    if (found && !verify(found.fingerprint, 'api_request', content))
      throw new Problem('idempotency_key_reused')
    return found?.response as Response | undefined
  }
  const keep: KeepResponse<Response> = (transaction, response, userId) =>
    insertApiRequest(transaction, {
      ...id,
      fingerprint: sign('api_request', content),
      response: { ...response, ...Object.fromEntries(secrets.map((name) => [name, null])) },
      userId: userId ?? null,
      createdAt: new Date(context.now()),
    })

  const previous = await replay()
  if (previous) return previous
  try {
    return await work(keep)
  } catch (error) {
    if (isStoreUnavailable(error)) throw error
    // A concurrent request with this key may have caused the error.
    const concurrent = await replay()
    if (concurrent) return concurrent
    throw isUniqueViolation(error) ? new Problem('unavailable', { cause: error }) : error
  }
}
