import { LRUCache } from 'lru-cache'
import { validate as isUuid } from 'uuid'
import { entryLimit } from '../../store/entry-limit.js'
import type { TenantConnection as Row } from '../../store/generated/client.js'
import { findTenantConnection } from '../../store/queries/sso-connections.js'
import type { Queries } from '../../store/store.js'
import { type Clock, systemClock } from '../clock.js'
import type { Connection } from './connection.js'
import type { PresetName } from './presets.js'

/** What a tenant sets for a connection in addition to its issuer, its client and its secret. */
export interface TenantConnectionOptions {
  /** What a button shows. By default that of the preset. */
  title?: string
  /** Scopes that replace those of the preset. */
  scopes?: string[]
  /** The only domain of Google Workspace whose accounts may log in: the claim `hd`. */
  hd?: string
}

/** The kinds of providers of tenants, and the preset of a database by which each is understood. */
export const tenantPresets = {
  entra: { title: 'Microsoft Entra', preset: 'microsoft' },
  okta: { title: 'Okta', preset: 'oidc' },
  google_workspace: { title: 'Google Workspace', preset: 'google' },
  keycloak: { title: 'Keycloak', preset: 'oidc' },
  auth0: { title: 'Auth0', preset: 'oidc' },
  oidc: { title: 'OpenID Connect', preset: 'oidc' },
} as const satisfies Record<string, { title: string; preset: PresetName }>
export type TenantPreset = keyof typeof tenantPresets

/** A connection of the store, whose options this version has written. */
export interface TenantConnectionRow extends Omit<Row, 'preset' | 'options'> {
  preset: TenantPreset
  options: TenantConnectionOptions
}

/** The identity provider of a tenant, as logins use connections of a database. Its name is its id. */
export interface TenantConnection extends Connection {
  id: string
  ofTenant: { tenantId: string; expects?: Readonly<Record<string, string>> }
  options: Connection['options'] & TenantConnectionOptions & { title: string }
}

/** Returns a connection of the store. Undefined if it has a preset that only later versions know. */
export const tenantConnectionOf = (row: Row): TenantConnectionRow | undefined =>
  Object.hasOwn(tenantPresets, row.preset) ? (row as TenantConnectionRow) : undefined

/** Returns a connection as logins use it. */
export function loginConnection({
  testedAt: _,
  tenantId,
  preset,
  options,
  ...row
}: TenantConnectionRow): TenantConnection {
  const kind = tenantPresets[preset]
  const { hd } = options
  const ofTenant = { tenantId, ...(hd && { expects: { hd } }) }
  return { ...row, name: row.id, preset: kind.preset, options: { title: kind.title, ...options }, ofTenant }
}

/** Maximum time until this process notices a change by another one. */
const cacheMilliseconds = 5_000
const cacheEntries = 10_000

/**
 * Creates a lookup of the enabled connections of tenants by id, which caches them for a few seconds. It returns undefined if the
 * database has none with the id, which may be any text.
 */
export function createTenantConnectionLookup(
  store: Queries,
  { cacheNow }: Pick<Clock, 'cacheNow'> = systemClock,
) {
  const cache = new LRUCache<string, { found: TenantConnection | undefined }>({
    ...entryLimit(cacheEntries),
    ttl: cacheMilliseconds,
    ttlResolution: 0,
    perf: { now: cacheNow },
    fetchMethod: async (key) => {
      const [databaseId = '', id = ''] = key.split(' ')
      return { found: await findEnabledOfTenant(store, { databaseId, id }) }
    },
  })
  return async (databaseId: string, id: string): Promise<TenantConnection | undefined> =>
    isUuid(id) ? (await cache.fetch(`${databaseId} ${id.toLowerCase()}`))?.found : undefined
}

/** Returns an enabled connection of a tenant as it is now, or undefined. */
export async function findEnabledOfTenant(store: Queries, key: Pick<Row, 'databaseId' | 'id'>) {
  const row = await findTenantConnection(store, key)
  const connection = row?.isEnabled ? tenantConnectionOf(row) : undefined
  return connection && loginConnection(connection)
}
