import { InvalidArgumentError } from '@commander-js/extra-typings'
import { CreateUserBody } from '@usher/contract'
import { maxSeats, PutMemberBody } from '@usher/contract/management'
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

/** Parses `next` of a list that is ordered by id, or by a text. @throws {InvalidArgumentError} */
export function cursor(text: string) {
  // The shortest one is that of the address a@b.c.
  if (!/^[\w-]{7,}$/.test(text)) throw new InvalidArgumentError('Expected what the list command printed.')
  return text
}

/** Returns a parser of whole numbers in a range. */
export const wholeNumber = (min: number, max: number) => (text: string) => {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max) return number
  throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
}

/** Parses a number of seats. @throws {InvalidArgumentError} */
export const seats = wholeNumber(1, maxSeats)

/** Parses a number of seats, or `none`. Wrapped, because commander treats null as no value. */
export const seatsOrNone = (text: string) => ({ seats: text === 'none' ? null : seats(text) })

const secondsOf: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Returns a parser of durations such as `90d`, `24h`, `30m`, `10s` or `0`, in seconds, within a range of seconds. */
export const duration = (min: number, max: number) => (text: string) => {
  const [isDuration, number = 0, unit = 's'] = /^(?:0|(\d{1,9})([smhd]))$/.exec(text) ?? []
  const seconds = isDuration ? Number(number) * (secondsOf[unit] ?? 0) : Number.NaN
  if (seconds >= min && seconds <= max) return seconds
  throw new InvalidArgumentError(
    `Expected a duration such as 90d, 24h or 30m, from ${min} to ${max} seconds.`,
  )
}

/** Returns a parser that accepts the values that sign-up accepts in a field. */
export const signUpField = (field: keyof CreateUserBody) => (text: string) => {
  const { data, error } = CreateUserBody.shape[field].safeParse(text)
  if (data) return data
  throw new InvalidArgumentError(`It ${error?.issues.map(({ message }) => message).join('; ')}.`)
}

export const email = signUpField('email')
export const userLocale = signUpField('locale')
export const tenantName = signUpField('newTenant')

/** Parses the role of a member. Whether the database has it is known only with the store. */
export function role(text: string) {
  const { data } = PutMemberBody.shape.role.safeParse(text)
  if (data) return data
  throw new InvalidArgumentError('Expected 1 to 32 characters.')
}
