import { InvalidArgumentError } from 'commander'
import { validate as isUuid } from 'uuid'

/** @throws {InvalidArgumentError} where the text is not of the form workspace/name */
export function databasePath(text: string) {
  const [workspaceSlug, databaseName, ...rest] = text.split('/')
  if (!workspaceSlug || !databaseName || rest.length > 0) {
    throw new InvalidArgumentError('Write it as WORKSPACE/NAME.')
  }
  return { workspaceSlug, databaseName }
}

/** @throws {InvalidArgumentError} where the text is no UUID */
export function uuid(text: string) {
  if (!isUuid(text)) throw new InvalidArgumentError('Write it as the UUID that the list shows.')
  return text
}

/** Reads a whole number of a range. */
export const wholeNumber = (min: number, max: number) => (text: string) => {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max) return number
  throw new InvalidArgumentError(`Write a whole number from ${min} to ${max}.`)
}
