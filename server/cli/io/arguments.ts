import { InvalidArgumentError } from '@commander-js/extra-typings'
import { validate as isUuid } from 'uuid'

/** Parses `workspace/name`. @throws {InvalidArgumentError} */
export function databasePath(text: string) {
  const [workspaceSlug, databaseName, ...rest] = text.split('/')
  if (!workspaceSlug || !databaseName || rest.length > 0) {
    throw new InvalidArgumentError('Expected WORKSPACE/NAME.')
  }
  return { workspaceSlug, databaseName }
}

/** @throws {InvalidArgumentError} if the text is not a UUID */
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
