import { createClient } from './generated/hey-api/client/index.js'
import { createUser, getMe, login } from './generated/hey-api/index.js'

interface Path {
  workspaceSlug: string
  databaseName: string
}

export async function callEveryOperation(baseUrl: string, path: Path, email: string) {
  const client = createClient({ baseUrl })
  const body = { email, password: 'correct horse battery', newTenant: 'Engines' }
  const created = await createUser({ client, path, body })
  const again = await createUser({ client, path, body })
  const loggedIn = await login({ client, path, body })
  const user = await getMe({ client, path, auth: loggedIn.data?.token.jwt ?? '' })
  const code = again.error?.code
  // Compiles only if a later version may add codes.
  const isLater = code === 'email_blocked'
  return { id: created.data?.id, tenants: loggedIn.data?.tenants, email: user.data?.email, code, isLater }
}
