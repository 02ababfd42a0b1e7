/** The types that an option may have, such as `number | undefined`, and what its value must match as text. */
export type OptionChecks = Record<string, readonly [types: string, pattern?: RegExp]>

/** @throws {TypeError} that names the first option that is missing or invalid, with its value */
export function assertOptions(options: object, checks: OptionChecks) {
  for (const [name, [types, pattern = /^/]] of Object.entries(checks)) {
    const value = (options as Record<string, unknown>)[name]
    const text = Object(value) === value ? typeof value : String(value)
    if (!types.includes(typeof value) || !pattern.test(text))
      throw new TypeError(`Usher client: ${name} cannot be ${text || 'empty'}`)
  }
}
