import type { Interval } from './linearize.js'

/** An operation on accounts whose addresses change, as a client or an operator saw it. */
export interface AddressOperation extends Interval {
  name: AddressOperationName
  /** Id of the account that it concerns, if it is known. */
  user: string
  /** An address as it was entered. Each requested one has another spelling, which identifies its request. */
  email?: string
  password?: string
  token?: string
  /** Id of the code that is used, or that a mail has brought. */
  codeId?: string
  /** Id of the code that undoes a change, by the row that reserves the former address. */
  undoId?: string
  /** False if the operator ends every undo. */
  hasUndo?: boolean
  /** Token of the response. */
  newToken?: string
  /** Undefined if it is unknown. `done`, the code of a refusal, or what was read. */
  outcome: string | undefined
}

/** `stored` is a code for a new password that a mail has brought, and `read` is a read of all addresses in the store. */
export type AddressOperationName =
  | 'signUp'
  | 'login'
  | 'me'
  | 'request'
  | 'confirm'
  | 'undo'
  | 'deleteMe'
  | 'stored'
  | 'reset'
  | 'disable'
  | 'enable'
  | 'setEmail'
  | 'read'

/** A former address of an account. */
interface Reserved {
  /** Undefined if no code was sent. */
  id: string | undefined
  email: string
}

export interface AddressAccount {
  email: string
  /** Undefined if no password works. */
  password: string | undefined
  isDisabled: boolean
  isVerified: boolean
  tokens: readonly string[]
  /** The address of the requested change. */
  pending: string | undefined
  resetCode: string | undefined
  /** In the order of the changes. */
  reserved: readonly Reserved[]
}

/** Accounts by id. */
export type AddressState = Readonly<Record<string, AddressAccount>>

export const canonical = (email = '') => email.toLowerCase()

const isSame = (one: string | undefined, other: string | undefined) => canonical(one) === canonical(other)

/** Returns whether another account has an address, or had it until recently. */
export const isTaken = (state: AddressState, email: string | undefined, user?: string) =>
  Object.entries(state).some(
    ([id, account]) =>
      id !== user &&
      (isSame(account.email, email) || account.reserved.some((reserved) => isSame(reserved.email, email))),
  )

/** Returns the account that has an address, with its id. */
export const holderOf = (state: AddressState, email: string | undefined) =>
  Object.entries(state).find(([, account]) => isSame(account.email, email))

/** Returns an account after a revocation of its tokens and codes. */
export const revoked = (account: AddressAccount): AddressAccount => ({
  ...account,
  tokens: [],
  pending: undefined,
  resetCode: undefined,
})

/** Returns an account with another address, which is not verified. Its tokens stay. Only a verified address is reserved. */
export function withAddress(
  account: AddressAccount,
  email: string,
  { undoId, hasUndo = true }: Pick<AddressOperation, 'undoId' | 'hasUndo'>,
): AddressAccount {
  const kept = hasUndo ? account.reserved : []
  if (isSame(account.email, email)) return { ...account, email, reserved: kept }
  const own = kept.findIndex((reserved) => isSame(reserved.email, email))
  const former = hasUndo && account.isVerified ? [{ id: undoId, email: account.email }] : []
  const reserved = own >= 0 ? kept.slice(0, own) : [...kept, ...former]
  return { ...account, email, isVerified: false, reserved, pending: undefined, resetCode: undefined }
}

/** Returns who has which address, as a read of the store shows it. */
export const addressesOf = (state: AddressState) =>
  Object.entries(state)
    .flatMap(([id, { email, reserved }]) => [
      `${email} ${id}`,
      ...reserved.map((each) => `${each.email} reserved for ${id}`),
    ])
    .sort()
    .join(', ')
