import type { ExternalLogin, StartLoginBody } from '@usher/contract'
import type { AppContext } from '../context.js'
import type { DatabaseRequest } from '../request.js'

export async function startLogin(
  _context: AppContext,
  _request: DatabaseRequest<StartLoginBody>,
): Promise<ExternalLogin> {
  throw new Error('not built')
}
