import { InvalidArgumentError } from '@commander-js/extra-typings'
import { CreateUserBody } from '@usher/contract'
import { validate as isUuid } from 'uuid'

/** Parses `workspace/name`. @throws {InvalidArgumentError} */
export function databasePath(text: string) {
  const [workspaceSlug, databaseName, ...rest] = text.split('/')
  if (!workspaceSlug || !databaseName || rest.length > 0) {
    throw new InvalidArgumentError('Expected WORKSPACE/NAME.')
  }
  return { workspaceSlug, databaseName }
}

/** Parses a UUID. @throws {InvalidArgumentError} */
export function uuid(text: string) {
  if (!isUuid(text)) throw new InvalidArgumentError('Expected a UUID, as printed by the list command.')
  return text
}

/** Returns a parser of whole numbers in a range. */
export const wholeNumber = (min: number, max: number) => (text: string) => {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max) return number
  throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
}

const secondsOf: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Returns a parser of durations such as `90d`, `24h`, `30m`, `10s` or `0`, in seconds, within a range of seconds. */
export const duration = (min: number, max: number) => (text: string) => {
  const [, number, unit = 's'] = /^(\d{1,9})([smhd])?$/.exec(text) ?? []
  const seconds = (unit && Number(number) * (secondsOf[unit] ?? Number.NaN)) || 0
  const isComplete = number !== undefined && (text === '0' || text.endsWith(unit))
  if (isComplete && seconds >= min && seconds <= max) return seconds
  throw new InvalidArgumentError(
    `Expected a duration such as 90d, 24h or 30m, from ${min} to ${max} seconds.`,
  )
}

/** Returns a parser that accepts the values that sign-up accepts in a field. */
const signUpField = (field: 'email' | 'preferredName' | 'newTenant') => (text: string) => {
  const { data, error } = CreateUserBody.shape[field].safeParse(text)
  if (data) return data
  throw new InvalidArgumentError(`It ${error?.issues.map(({ message }) => message).join('; ')}.`)
}

export const email = signUpField('email')
export const preferredName = signUpField('preferredName')
export const tenantName = signUpField('newTenant')
