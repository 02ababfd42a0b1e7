import type {
  Identity,
  IdentityList,
  LinkIdentityBody,
  SignedInUser,
  UnlinkIdentityBody,
} from '@usher/contract'
import type { UserIdentityList } from '@usher/contract/management'
import type { AppContext } from '../context.js'
import type { KeyRequest, UserRequest } from '../request.js'

export async function listIdentities(_context: AppContext, _request: UserRequest): Promise<IdentityList> {
  throw new Error('not built')
}

export async function linkIdentity(
  _context: AppContext,
  _request: UserRequest<LinkIdentityBody>,
): Promise<Identity> {
  throw new Error('not built')
}

export async function unlinkIdentity(
  _context: AppContext,
  _request: UserRequest<UnlinkIdentityBody>,
): Promise<SignedInUser> {
  throw new Error('not built')
}

export async function listUserIdentities(
  _context: AppContext,
  _request: KeyRequest,
): Promise<UserIdentityList> {
  throw new Error('not built')
}

export async function removeUserIdentity(_context: AppContext, _request: KeyRequest): Promise<void> {
  throw new Error('not built')
}
