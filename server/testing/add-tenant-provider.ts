import { randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { z } from 'zod'
import { type Change, runChange } from '../domain/change.js'
import { callbackUrl } from '../domain/connections/connection.js'
import { nameOfDatabase } from '../domain/database-name.js'
import { databaseUrl } from '../domain/databases/find-database.js'
import { requireDomainName } from '../domain/sso/domain-name.js'
import { requireTenant } from '../domain/tenants/tenants.js'
import { recordName, recordText } from '../domain/text-records.js'
import { insertTenantConnection } from '../store/queries/sso-connections.js'
import {
  type DomainRow,
  findDomain,
  insertDomain,
  lockHolder,
  updateDomain,
} from '../store/queries/sso-domains.js'
import {
  commonOptions,
  type ServerOfProvider,
  type StartedProvider,
  startAdded,
  type TestProvider,
} from './add-provider.js'
import { requestOfOperator } from './operator.js'
import type { TestPerson } from './provider-accounts.js'

/** An identity provider of a tenant. Its database, such as `createDatabase` returns it, is the first one of the server by default. */
export interface TenantProviderOptions {
  /** ID of the tenant. */
  tenant: string
  /** Mail domains that the tenant has proven, such as `acme.example`. */
  domains?: string[] | undefined
  /** Who has an account there. Each name is different. */
  people: TestPerson[]
  /** What a button shows. `OpenID Connect` by default. */
  title?: string | undefined
  /** Address of the server. Has no effect. */
  baseUrl?: string | undefined
  /** Slug of the workspace of its database. */
  workspace?: string | undefined
  /** Name of its database, which has the setting `singleSignOn`. */
  database?: string | undefined
}

/** The identity provider of a tenant, which runs until the server stops. */
export interface TestTenantProvider extends TestProvider {
  /** ID of its connection, for `startLogin`. */
  connection: string
}

const TenantProviderOptions = z.strictObject({
  ...commonOptions,
  tenant: z.uuid(),
  domains: z.array(z.string()).default([]),
})

/** The texts of the TXT records of domains that tests have proven, by name. */
export type ProvenRecords = Map<string, readonly string[]>

/**
 * Starts a provider, and adds its connection and its domains to a tenant.
 *
 * @param records gets the records of the domains
 * @throws {z.ZodError} if an option is invalid
 * @throws {TypeError} if the database has no single sign-on, or another tenant has a domain
 */
export async function addTenantProvider(
  { context, baseUrl, records }: ServerOfProvider & { records: ProvenRecords },
  given: TenantProviderOptions,
): Promise<StartedProvider & { connection: string }> {
  const { tenant: tenantId, people, title, workspace, database, domains } = TenantProviderOptions.parse(given)
  const request = await requestOfOperator(context.store, {
    workspaceSlug: workspace,
    databaseName: database,
  })
  const { id: databaseId, singleSignOn } = request.database
  if (!singleSignOn)
    throw new TypeError(
      `addTenantProvider: ${nameOfDatabase(request.database)} has no single sign-on. Create it with singleSignOn: true`,
    )
  const names = domains.map((domain) => requireDomainName(domain, 'domains'))
  const id = uuidv7()
  const redirectUri = callbackUrl(databaseUrl(baseUrl, request.database), id)
  const client = { clientId: 'usher', accepts: (uri: string) => uri === redirectUri }
  const provider = await startAdded(people, { ...client, title: title ?? 'OpenID Connect' }, (issuer) =>
    runChange(context, request, async (change) => {
      await requireTenant(change, request.database, tenantId)
      await insertTenantConnection(change, {
        ...{ databaseId, id, tenantId, preset: 'oidc', issuer, clientId: 'usher', sealedSecret: null },
        options: { ...(title !== undefined && { title }) },
        ...{ isEnabled: true, createdAt: change.now, testedAt: null },
      })
      for (const domain of names) {
        const { token } = await prove(change, { databaseId, tenantId, domain })
        const name = recordName(domain)
        // Other databases of the server may have the domain, too.
        records.set(name, [...(records.get(name) ?? []), recordText({ token })])
      }
      return { result: undefined, facts: [] }
    }),
  )
  return { ...provider, connection: id }
}

/** Stores that a tenant has proven a domain. */
async function prove(change: Change, key: Pick<DomainRow, 'databaseId' | 'tenantId' | 'domain'>) {
  const { now } = change
  const holder = await lockHolder(change, key)
  if (holder && holder.tenantId !== key.tenantId)
    throw new TypeError(`addTenantProvider: Another tenant has proven ${key.domain}.`)
  const former = await findDomain(change, key)
  const token = former?.token ?? randomBytes(16).toString('hex')
  const proven = { provenAt: now, missingSince: null, checkedAt: now }
  const row: DomainRow = { ...key, token, state: 'proven', createdAt: former?.createdAt ?? now, ...proven }
  if (!former) await insertDomain(change, row)
  await updateDomain(change, row, former?.state ?? 'pending')
  return row
}
