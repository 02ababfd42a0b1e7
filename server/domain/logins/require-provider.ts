import type { Connection } from '../connections/connection.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { Provider } from '../providers/find-provider.js'
import { ProviderError, withinTime } from '../providers/provider-fetch.js'
import type { DatabaseRequest } from '../request.js'

const retrySeconds = 10

type Request = Pick<DatabaseRequest, 'database' | 'caller'>

/** Returns the provider of a connection. @throws {Problem} `provider_unavailable`, also if the connection is set up wrongly */
export const requireProvider = (
  { providers }: Pick<AppContext, 'providers'>,
  request: Request,
  connection: Connection,
): Promise<Provider> =>
  withinTime(() => providers.find(connection)).catch((error) => {
    throw error instanceof ProviderError ? unavailableProvider(request, connection, error) : error
  })

/** Returns the problem of a provider that cannot be used. The reason is only logged. */
export function unavailableProvider(
  { database, caller }: Request,
  connection: Connection,
  cause: ProviderError,
) {
  const ids = { databaseId: database.id, connection: connection.name }
  caller.log.warn({ ...ids, reason: cause.message }, 'the provider of a connection cannot be used')
  return new Problem('provider_unavailable', { cause, retryAfterSeconds: retrySeconds })
}
