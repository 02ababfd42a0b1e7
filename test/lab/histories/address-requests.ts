import { Problem } from '../../../server/domain/problem.js'
import { changeFields, deleteUser } from '../../support/operator-changes.js'
import type { AddressOperation } from './address-state.js'
import { path } from './commands.js'
import { tokenOf } from './operation.js'
import type { Random } from './random.js'
import type { World } from './round.js'

const users = `/workspaces/${path.workspaceSlug}/databases/${path.databaseName}/users`

/** A code that a mail has brought. */
export interface AddressCode {
  name: 'confirm' | 'undo' | 'reset'
  value: string
  /** Id of the account of a change. */
  user: string
  /** The address to which it was sent. */
  email: string
}

/** What a client does. */
export type ChosenChange = Pick<
  AddressOperation,
  'name' | 'user' | 'email' | 'password' | 'token' | 'hasUndo'
> & {
  code?: AddressCode
  jwt?: string
}

let requests = 0

/** Sends a request to one of the servers. Returns undefined if its outcome is unknown. */
export async function send(
  { servers }: World,
  random: Random,
  [method, url, payload, jwt]: ['GET' | 'POST', string, object?, string?],
) {
  const response = await random.pick(servers)?.send({
    method,
    url: users + url,
    headers: {
      ...(payload && { 'content-type': 'application/json' }),
      ...(jwt && { authorization: `Bearer ${jwt}` }),
      'x-forwarded-for': `10.8.${(++requests >> 8) & 255}.${requests & 255}`,
    },
    ...(payload && { payload }),
  })
  return response === 'not_sent' ? undefined : response
}

function sent(world: World, random: Random, { name, email, password, jwt, code }: ChosenChange) {
  const value = code?.value
  const requestOf = {
    signUp: ['POST', '', { email, password }],
    login: ['POST', '/login', { email, password }],
    me: ['GET', '/me', undefined, jwt],
    request: ['POST', '/me/email', { email, password }, jwt],
    confirm: ['POST', '/email-change/confirm', { code: value }],
    undo: ['POST', '/email-change/undo', { code: value }],
    reset: ['POST', '/password-reset/confirm', { code: value, newPassword: password }],
    deleteMe: ['POST', '/me/deletion', { password }, jwt],
  } satisfies Record<string, Parameters<typeof send>[2]>
  return send(world, random, requestOf[name as keyof typeof requestOf] as Parameters<typeof send>[2])
}

interface Body {
  code?: string
  errors?: { code: string }[]
  id?: string
  email?: string
  token?: { jwt: string }
}

/** What is known of an operation afterwards. `jwt` is the new token. */
export type Outcome = Partial<AddressOperation> & { jwt?: string }

/** Sends the request of a client. Returns what is known of the operation then, or undefined if it was not tried. */
export async function request(
  world: World,
  random: Random,
  chosen: ChosenChange,
): Promise<Outcome | undefined> {
  const response = await sent(world, random, chosen)
  if (!response) return {}
  const { code, errors, id, email, token } = response.body as Body
  if (errors?.[0]?.code === 'password_wrong') return { outcome: 'invalid_credentials' }
  if (code === 'too_many_attempts') return undefined
  if (code) return { outcome: code === 'token_invalid' ? 'refused' : code }
  const { name } = chosen
  return {
    outcome: 'done',
    ...(token && { user: id ?? '', jwt: token.jwt, newToken: tokenOf(token.jwt).id }),
    // The address of a change is compared with that of its request.
    ...((name === 'me' || name === 'confirm') && { email: email ?? '' }),
  }
}

/** Runs a command. Returns its outcome. */
export async function command(
  { operator: { context } }: World,
  { name, user, email, hasUndo }: ChosenChange,
): Promise<Outcome> {
  const operation = { ...context, now: new Date() }
  const changes = {
    disable: { isDisabled: true },
    enable: { isDisabled: false },
    setEmail: { email, emailUndo: hasUndo },
  }[name as 'disable' | 'enable' | 'setEmail']
  try {
    if (changes) await changeFields(operation, path, user, changes)
    else await deleteUser(operation, path, user)
    return { outcome: 'done' }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { outcome: error.code === 'user_not_found' ? 'not_found' : error.code }
  }
}
