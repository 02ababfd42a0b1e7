import { domainToASCII } from 'node:url'
import type { LoginRoute, RouteLoginBody } from '@usher/contract'
import { findRoute } from '../../store/queries/sso-domains.js'
import {
  type TenantConnectionOptions,
  type TenantPreset,
  tenantPresets,
} from '../connections/tenant-connection.js'
import type { AppContext } from '../context.js'
import { Problem } from '../problem.js'
import type { DatabaseRequest } from '../request.js'

/**
 * Returns the single sign-on of the domain of an address. Reads no accounts.
 *
 * @throws {Problem} `too_many_attempts` if the network of the client asks too often
 */
export async function routeLogin(
  { store, requestAllowance }: Pick<AppContext, 'store' | 'requestAllowance'>,
  { database, caller, body }: DatabaseRequest<RouteLoginBody>,
): Promise<LoginRoute> {
  if (!database.ssoRouting) return { connection: null }
  const { clientAddress } = caller
  const domain = domainOf(body.email)
  const found = await requestAllowance.count(database, { purpose: 'sso_route', clientAddress }, (count) =>
    store.transaction(database.id, async (query) => {
      await count({ query })
      return { route: await findRoute({ query }, database.id, domain) }
    }),
  )
  if ('limit' in found) throw new Problem('too_many_attempts', { retryAfterSeconds: found.retryAfterSeconds })
  const { route } = found
  const preset = route?.preset ?? ''
  if (!route || !Object.hasOwn(tenantPresets, preset)) return { connection: null }
  const { title = tenantPresets[preset as TenantPreset].title } = route.options as TenantConnectionOptions
  return { connection: { id: route.id, title } }
}

/** Returns the domain of an address, as a name of DNS. */
const domainOf = (email: string) => domainToASCII(email.slice(email.lastIndexOf('@') + 1)).toLowerCase()
