/**
 * Returns whether each number of a JSON value is as its text was. JSON.parse rounds whole numbers beyond 2^53, and reads 1e400 as
 * infinity.
 */
export function hasExactNumbers(value: unknown): boolean {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))
  return typeof value !== 'object' || value === null || Object.values(value).every(hasExactNumbers)
}

/** What is wrong with a value that has other numbers. Follows the name of the field. */
export const inexact = `must have no whole number beyond ${Number.MAX_SAFE_INTEGER}: write it as a text`
