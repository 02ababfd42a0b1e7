import type { AppContext } from '../../../server/domain/context.js'
import type { Store } from '../../../server/store/store.js'
import {
  deleteUser,
  disableUser,
  enableUser,
  putMember,
  removeFromTenant,
  revokeTokens,
  sendReset,
  setPassword,
} from '../../support/operator-changes.js'
import { type Choose, withNewPassword } from './known.js'
import type { Input } from './operation.js'

export const path = { workspaceSlug: 'acme', databaseName: 'app' }

/** The parameters of commands. */
export interface Operator {
  context: AppContext & { store: Store }
  /** Ids by name. */
  tenants: ReadonlyMap<string, string>
}

/** A command that changes users. */
interface Command {
  /** Relative frequency, on the same scale as that of operations of clients. */
  weight: number
  choose: Choose
  run(context: Operator['context'], email: string, input: Input, tenantId: string): Promise<unknown>
}

const changed =
  (change: typeof disableUser): Command['run'] =>
  ({ store }, email) =>
    change({ store, now: new Date() }, path, email)
const nothing = () => ({})
const aTenant: Choose = (_known, random) => ({ tenant: random.pick(['Engines', 'Compilers']) ?? '' })

export const commands: Record<string, Command> = {
  disable: { weight: 1.5, choose: nothing, run: changed(disableUser) },
  enable: { weight: 4, choose: nothing, run: changed(enableUser) },
  revokeTokens: { weight: 1, choose: nothing, run: changed(revokeTokens) },
  setPassword: {
    weight: 1.5,
    choose: withNewPassword,
    run: (context, email, { newPassword = '' }) =>
      setPassword({ ...context, now: new Date() }, path, { userRef: email, password: newPassword }),
  },
  sendReset: { weight: 2, choose: nothing, run: changed(sendReset) },
  deleteUser: {
    weight: 0.5,
    choose: nothing,
    run: changed(deleteUser),
  },
  join: {
    weight: 1.5,
    choose: aTenant,
    run: ({ store }, email, _input, id) =>
      putMember({ store, now: new Date() }, path, { tenantId: id, userRef: email }),
  },
  leave: {
    weight: 1.5,
    choose: aTenant,
    run: ({ store }, email, _input, id) =>
      removeFromTenant({ store, now: new Date() }, path, { tenantId: id, userRef: email }),
  },
}

/** Runs a command. Returns the reason of a rejection, or undefined if it is unknown whether the command took effect. */
export async function runCommand({ context, tenants }: Operator, name: string, email: string, input: Input) {
  try {
    await commands[name]?.run(context, email, input, tenants.get(input.tenant ?? '') ?? '')
    return {}
  } catch (error) {
    const { message } = error as Error
    if (/does not exist/.test(message)) return 'not_found'
    if (/is not a member/.test(message)) return 'not_a_member'
    if (/is disabled/.test(message)) return 'disabled'
    return undefined
  }
}
