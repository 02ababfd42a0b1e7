import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { ConnectionName, ConnectionOptions } from '../../domain/connections/connection.js'
import { usageError } from '../../domain/problem.js'

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

/** Returns the options of a connection. @throws {Problem} `usage_error` that names the option */
export function optionsOf({
  title,
  scope,
  audience,
  teamId,
  keyId,
  linkByEmail,
  trustEmail,
}: Given): ConnectionOptions {
  const given = {
    ...{ title, teamId, keyId, scopes: scope?.split(','), audiences: audience?.split(',') },
    linkByEmail: linkByEmail && linkByEmail === 'on',
    trustEmail: trustEmail && trustEmail === 'on',
  }
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const { data, error } = ConnectionOptions.safeParse(present)
  if (data) return data
  const [issue] = error.issues
  const option = String(issue?.path[0]).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw usageError(`--${option.replace(/s$/, '')} ${issue?.message}`)
}
