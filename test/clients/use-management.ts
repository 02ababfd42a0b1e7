import createClient from 'openapi-fetch'
import { createClient as createHeyApiClient } from './generated/management/hey-api/client/index.js'
import * as heyApi from './generated/management/hey-api/index.js'
import type { paths } from './generated/management/openapi-typescript.js'

interface Path {
  workspaceSlug: string
  databaseName: string
}

/** Adds a user to a tenant, and reads what the operations of both return. */
export const provision = {
  'openapi-fetch': async (baseUrl: string, path: Path, apiKey: string) => {
    const headers = { Authorization: `Bearer ${apiKey}` }
    const client = createClient<paths>({ baseUrl, headers })
    const root = '/workspaces/{workspaceSlug}/databases/{databaseName}/management'
    const tenant = await client.POST(`${root}/tenants`, { params: { path }, body: { name: 'Engines' } })
    const tenantId = tenant.data?.id ?? ''
    const user = await client.POST(`${root}/users`, {
      params: { path },
      body: { email: 'ada@example.com', tenants: [{ id: tenantId }] },
    })
    const members = await client.GET(`${root}/tenants/{tenantId}/members`, {
      params: { path: { ...path, tenantId }, query: { limit: 10 } },
    })
    const again = await client.POST(`${root}/users`, { params: { path }, body: { email: 'ada@example.com' } })
    const names = user.data?.memberships.map(({ name }) => name)
    return { names, emails: members.data?.members.map(({ email }) => email), code: again.error?.code }
  },
  'hey-api': async (baseUrl: string, path: Path, auth: string) => {
    const client = createHeyApiClient({ baseUrl, auth })
    const tenant = await heyApi.addTenant({ client, path, body: { name: 'Looms' } })
    const tenantId = tenant.data?.id ?? ''
    const body = { email: 'joseph@example.com', tenants: [{ id: tenantId }] }
    const user = await heyApi.addUser({ client, path, body })
    const members = await heyApi.listMembers({ client, path: { ...path, tenantId }, query: { limit: 10 } })
    const again = await heyApi.addUser({ client, path, body: { email: 'joseph@example.com' } })
    const names = user.data?.memberships.map(({ name }) => name)
    return { names, emails: members.data?.members.map(({ email }) => email), code: again.error?.code }
  },
}
