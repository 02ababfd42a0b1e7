import type { Plant } from './plants.js'

/** Defects of changes of the address. */
export const addressPlants: Record<string, Pick<Plant, 'create' | 'found'>> = {
  'a former address that nobody reserves': {
    create: () => async (statement) => {
      const { text, values, run } = statement
      return text.includes('reserved_for, reserved_until)') ? [] : run(text, values)
    },
    found: /^impossible/,
  },
  'an undo that keeps the password': {
    create:
      () =>
      ({ text, values, run }) =>
        run(text, text.includes('password_hash = COALESCE($7') ? [...values.slice(0, 6), null] : values),
    found: /^impossible/,
  },
  'an undo that keeps the later changes': {
    create:
      () =>
      ({ text, values, run }) =>
        run(text.includes('generation >= $3') ? text.replace('>= $3', '= $3') : text, values),
    found: /^impossible/,
  },
  'changes that lock no user and read the code only once': {
    create() {
      const read = new Map<unknown, Record<string, unknown>[]>()
      return async ({ text, values, run }) => {
        if (text.includes('"disabledAt"') && text.includes('reserved_for IS NULL FOR UPDATE'))
          return run(text.replace('FOR UPDATE', ''), values)
        if (!text.includes(`purpose = 'email_change'`) || !text.includes('code.expires_at > $3'))
          return run(text, values)
        const rows = read.get(values[1]) ?? (await run(text, values))
        if (rows.length > 0) read.set(values[1], rows)
        return rows
      }
    },
    found: /^impossible/,
  },
}
