import {
  type AddressAccount,
  type AddressOperation,
  type AddressState,
  addressesOf,
  holderOf,
  isTaken,
  revoked,
  withAddress,
} from './address-state.js'
import type { Model } from './linearize.js'

/** Returns why an operation is refused, or the next state. */
type Rule = (state: AddressState, operation: AddressOperation) => string | AddressState

const withAccount = (state: AddressState, id: string, account: AddressAccount): AddressState => ({
  ...state,
  [id]: account,
})

function without(state: AddressState, id: string): AddressState {
  const { [id]: _, ...others } = state
  return others
}

/** Returns a rule for requests with a token. */
const withToken =
  (rule: (account: AddressAccount, ...rest: Parameters<Rule>) => string | AddressState): Rule =>
  (state, operation) => {
    const account = state[operation.user]
    if (!account?.tokens.includes(operation.token ?? '')) return 'refused'
    return rule(account, state, operation)
  }

/** Returns a rule for requests that also need the password. */
const withPassword = (rule: Parameters<typeof withToken>[0]): Rule =>
  withToken((account, state, operation) =>
    account.password === operation.password ? rule(account, state, operation) : 'invalid_credentials',
  )

/** Returns a rule for commands that need a user. */
const existing =
  (rule: (account: AddressAccount, ...rest: Parameters<Rule>) => string | AddressState): Rule =>
  (state, operation) => {
    const account = state[operation.user]
    return account ? rule(account, state, operation) : 'not_found'
  }

const signUp: Rule = (state, { user, email = '', password, newToken = '' }) =>
  isTaken(state, email)
    ? 'email_taken'
    : withAccount(state, user, {
        ...{ email, password, isDisabled: false, isVerified: false, tokens: [newToken] },
        ...{ pending: undefined, resetCode: undefined, reserved: [] },
      })

const login: Rule = (state, { user, email, password, newToken = '', outcome }) => {
  const [id = '', account] = holderOf(state, email) ?? []
  if (!account || account.isDisabled || account.password !== password) return 'invalid_credentials'
  if (outcome === 'done' && id !== user) return 'another user'
  return withAccount(state, id, { ...account, tokens: [...account.tokens, newToken] })
}

const confirm: Rule = (state, { user, email = '', undoId }) => {
  const account = state[user]
  if (!account || account.isDisabled || account.pending !== email) return 'code_invalid'
  if (isTaken(state, email, user)) return 'email_taken'
  return withAccount(state, user, { ...revoked(withAddress(account, email, { undoId })), isVerified: true })
}

/** The earliest change that is undone also undoes the later ones. */
const undo: Rule = (state, { codeId }) => {
  for (const [id, account] of Object.entries(state)) {
    const index = account.reserved.findIndex((reserved) => reserved.id === codeId)
    const email = account.reserved[index]?.email
    if (email === undefined) continue
    const reserved = account.reserved.slice(0, index)
    return withAccount(state, id, {
      ...revoked(account),
      email,
      isVerified: true,
      reserved,
      password: undefined,
    })
  }
  return 'code_invalid'
}

const reset: Rule = (state, { user, codeId, password, newToken = '', outcome }) => {
  // A newer code that no mail has brought may have replaced it.
  if (outcome !== 'done') return outcome ?? state
  const account = state[user]
  if (!account || account.isDisabled || account.resetCode !== codeId) return 'code_invalid'
  // The first proof of an address removes the former ones, and with them the codes that undo.
  const reserved = account.isVerified ? account.reserved : []
  return withAccount(state, user, {
    ...revoked(account),
    ...{ isVerified: true, password, tokens: [newToken], reserved },
  })
}

const rules: Record<Exclude<AddressOperation['name'], 'read'>, Rule> = {
  signUp,
  login,
  me: withToken((account, state, { email, outcome }) =>
    outcome === 'done' && account.email !== email ? 'another address' : state,
  ),
  request: withPassword((account, state, { user, email }) =>
    withAccount(state, user, { ...account, pending: email }),
  ),
  confirm,
  undo,
  deleteMe: withPassword((account, state, { user }) =>
    account.reserved.length > 0 ? 'email_recently_changed' : without(state, user),
  ),
  stored: existing((account, state, { user, codeId }) =>
    account.isDisabled ? 'disabled' : withAccount(state, user, { ...account, resetCode: codeId }),
  ),
  reset,
  disable: existing((account, state, { user }) =>
    account.isDisabled ? state : withAccount(state, user, { ...revoked(account), isDisabled: true }),
  ),
  enable: existing((account, state, { user }) => withAccount(state, user, { ...account, isDisabled: false })),
  setEmail: existing((account, state, { user, email = '', undoId, hasUndo }) =>
    isTaken(state, email, user)
      ? 'email_taken'
      : withAccount(state, user, withAddress(account, email, { undoId, hasUndo })),
  ),
}

/**
 * Refusals that the model admits in every state. The password is confirmed by the address that was read with the token,
 * so a request is refused if the operator changes the address meanwhile. It can be repeated.
 */
const isAdmitted = ({ name, outcome }: AddressOperation) =>
  outcome === 'invalid_credentials' && (name === 'request' || name === 'deleteMe')

/** The sequential model of accounts whose addresses change. */
export const addressModel: Model<AddressState, AddressOperation> = {
  initial: {},
  step(state, operation) {
    const { name, outcome } = operation
    if (name === 'read') return outcome === addressesOf(state) ? state : undefined
    if (isAdmitted(operation)) return state
    const next = rules[name](state, operation)
    if (typeof next === 'string') return outcome === undefined || outcome === next ? state : undefined
    return outcome === undefined || outcome === 'done' ? next : undefined
  },
  keyOf: (state) => JSON.stringify(Object.entries(state).sort(([one], [other]) => (one < other ? -1 : 1))),
}
