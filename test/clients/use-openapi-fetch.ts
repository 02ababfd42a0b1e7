import createClient from 'openapi-fetch'
import type { paths } from './generated/openapi-typescript.js'

interface Path {
  workspaceSlug: string
  databaseName: string
}

export async function callEveryOperation(baseUrl: string, path: Path, email: string) {
  const client = createClient<paths>({ baseUrl })
  const body = { email, password: 'correct horse battery', newTenant: 'Engines' }
  const users = '/workspaces/{workspaceSlug}/databases/{databaseName}/users'
  const created = await client.POST(users, { params: { path }, body })
  const again = await client.POST(users, { params: { path }, body })
  const loggedIn = await client.POST(`${users}/login`, { params: { path }, body })
  const me = await client.GET(`${users}/me`, {
    params: { path },
    headers: { Authorization: `Bearer ${loggedIn.data?.token.jwt}` },
  })
  const code = again.error?.code
  // Compiles only if a later version may add codes.
  const isLater = code === 'email_blocked'
  return { id: created.data?.id, tenants: loggedIn.data?.tenants, email: me.data?.email, code, isLater }
}
