import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { ifDatabaseDeleted, Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { readState, type StartedAtProvider } from './state.js'

type Request = Pick<DatabaseRequest, 'database' | 'caller'>

/** A state that a client has brought. */
interface PresentedState {
  state: string
  /** Whether the login may return here. */
  isAccepted?: (login: StartedAtProvider) => boolean
}

/**
 * Returns a login that the database has started, also if it has expired. Anybody can bring a state: one that the database has not
 * signed counts as a failure of the network.
 *
 * @throws {Problem} `code_invalid`; `too_many_attempts`
 */
export async function requireState(
  context: AppContext,
  request: Request,
  { state, isAccepted = () => true }: PresentedState,
): Promise<StartedAtProvider> {
  const login = readState(await context.findSecrets(request.database.id), state)
  if (login && isAccepted(login)) return login
  requireAllowance(context, request)
  audit(request.caller.log, 'login.failed', { databaseId: request.database.id, way: 'external' })
  await countForged(context, request)
  throw new Problem('code_invalid')
}

/** @throws {Problem} `too_many_attempts` if the network of the client has failed too often */
export function requireAllowance({ networkAllowance, throttle }: AppContext, { database, caller }: Request) {
  const sources = throttle.keys.sources(database.id, caller.clientAddress)
  const refusal = networkAllowance.refusal(database, sources)
  if (refusal) throw refusal
}

/** Counts a failure of the network of the client. */
export const countForged = ({ networkAllowance, throttle }: AppContext, { database, caller }: Request) =>
  networkAllowance
    .countFailure(database, throttle.keys.sources(database.id, caller.clientAddress))
    .catch(ifDatabaseDeleted())
