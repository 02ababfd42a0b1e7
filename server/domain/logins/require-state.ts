import { audit } from '../../telemetry/audit.js'
import type { AppContext } from '../context.js'
import { ifDatabaseDeleted, Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'
import { readState, type StartedAtProvider } from './state.js'

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
  { findSecrets, throttle, networkAllowance }: AppContext,
  { database, caller }: Pick<DatabaseRequest, 'database' | 'caller'>,
  { state, isAccepted = () => true }: PresentedState,
): Promise<StartedAtProvider> {
  const login = readState(await findSecrets(database.id), state)
  if (login && isAccepted(login)) return login
  const sources = throttle.keys.sources(database.id, caller.clientAddress)
  const refusal = networkAllowance.refusal(database, sources)
  if (refusal) throw refusal
  audit(caller.log, 'login.failed', { databaseId: database.id, way: 'external' })
  await networkAllowance.countFailure(database, sources).catch(ifDatabaseDeleted())
  throw new Problem('code_invalid')
}
