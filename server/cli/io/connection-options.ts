import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { ConnectionName } from '../../domain/connections/connection.js'
import { Problem, usageError } from '../../domain/problem.js'

/** Parses the name of a connection. @throws {InvalidArgumentError} */
export function connectionName(text: string) {
  const { data, error } = ConnectionName.safeParse(text)
  if (data) return data
  throw new InvalidArgumentError(`It ${error?.issues[0]?.message}.`)
}

const switches = ['on', 'off'] as const

export const linkByEmail = () =>
  new Option('--link-by-email <state>', 'whether a first login links the account with its address').choices(
    switches,
  )
export const trustEmail = () =>
  new Option(
    '--trust-email <state>',
    'whether each address that the provider has verified proves its mailbox',
  ).choices(switches)

/** What the options say about a connection. */
interface Given {
  title?: string | undefined
  scope?: string | undefined
  audience?: string | undefined
  teamId?: string | undefined
  keyId?: string | undefined
  linkByEmail?: string | undefined
  trustEmail?: string | undefined
}

/** Returns the options of a connection that are given. */
export function optionsOf({ title, scope, audience, teamId, keyId, linkByEmail, trustEmail }: Given) {
  return {
    ...(title !== undefined && { title }),
    ...(scope !== undefined && { scopes: scope.split(',') }),
    ...(audience !== undefined && { audiences: audience.split(',') }),
    ...(teamId !== undefined && { teamId }),
    ...(keyId !== undefined && { keyId }),
    ...(linkByEmail !== undefined && { linkByEmail: linkByEmail === 'on' }),
    ...(trustEmail !== undefined && { trustEmail: trustEmail === 'on' }),
  }
}

/** Throws the error of the first field by the name of its option. Throws any other error as it is. */
export function nameOption(error: unknown): never {
  const [first] = error instanceof Problem && error.code === 'validation_failed' ? (error.errors ?? []) : []
  if (!first) throw error
  const option = first.path.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace(/s$/, '')
  throw usageError(`${option === 'secret' ? 'the secret' : `--${option}`} ${first.detail}`)
}
