import type { FinishedLogin, LoginWithIdTokenBody } from '@usher/contract'
import type { AppContext } from '../context.js'
import type { DatabaseRequest } from '../request.js'

export async function loginWithIdToken(
  _context: AppContext,
  _request: DatabaseRequest<LoginWithIdTokenBody>,
): Promise<FinishedLogin> {
  throw new Error('not built')
}
