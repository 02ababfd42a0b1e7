/**
 * Checks the type and value of each option by a pattern, such as `undefined undefined` or `number 5`.
 *
 * @throws {TypeError} that names the first option that is missing or invalid, with its value
 */
export function assertOptions(options: object, patterns: Record<string, RegExp>) {
  for (const [name, pattern] of Object.entries(patterns)) {
    const value = (options as Record<string, unknown>)[name]
    const text = /^[of]/.test(typeof value) ? typeof value : String(value)
    if (!pattern.test(`${typeof value} ${text}`))
      throw new TypeError(`Usher client: ${name} cannot be ${text || 'empty'}`)
  }
}

export const functionPattern = /^(undefined|function)/
