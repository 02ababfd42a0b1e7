import { z } from 'zod'

/** A setting of a database. Its option has the same name: `--mails-per-hour` for `mailsPerHour`. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  /** What to call it. */
  title: string
  kind: 'switch' | 'choice' | 'number' | 'text' | 'list' | 'json'
  /** What the help of its option calls the value. */
  placeholder: string
  unit?: 'seconds' | 'days' | undefined
  /** The allowed values. The message of an issue follows the name of the setting: `must be …`. */
  schema: Schema
  /** The value of a new database. The column may have another one, which an upgrade gives to existing databases. */
  default: z.infer<Schema>
  choices?: readonly string[]
  /** Smallest and largest number. */
  range?: readonly [min: number, max: number]
  /** Words of the command line for values, such as `none` for null. */
  words?: Readonly<Record<string, unknown>>
  /** What null, 0 or an empty list means. */
  empty?: string
  /** Whether an operator could take over accounts with it, or send what belongs to users elsewhere: a change needs a confirmation. */
  confirms?: true
  /** The description of its option. */
  text: string
}

type Settings<Schemas> = {
  [Name in keyof Schemas]: Schemas[Name] extends z.ZodType ? Setting<Schemas[Name]> : never
}

/** Returns settings, and lets TypeScript infer their types. */
export const settingsOf = <Schemas extends Record<string, z.ZodType>>(settings: Settings<Schemas>) => settings

/** Returns what settings with a few allowed words have in common. */
export const choice = <const Value extends string>(placeholder: string, ...choices: Value[]) => ({
  kind: 'choice' as const,
  placeholder,
  schema: z.enum(choices),
  choices,
})

/** What settings that are on or off have in common. */
export const toggle = {
  kind: 'switch' as const,
  placeholder: 'state',
  schema: z.boolean(),
  choices: ['on', 'off'],
  words: { on: true, off: false },
}

/** Returns what settings with a whole number have in common. */
export function number(min: number, max: number, unit?: Setting['unit']) {
  const error = `must be a whole number from ${min} to ${max}`
  return {
    kind: 'number' as const,
    placeholder: unit ?? 'number',
    unit,
    schema: z.int(error).min(min, error).max(max, error),
    range: [min, max] as const,
  }
}

/** What limits per hour have in common. */
export const perHour = { ...number(0, 1_000_000), empty: 'no limit' }

/** Returns what settings with a text have in common, for which the word stands for null. */
export const text = <Schema extends z.ZodType>(placeholder: string, schema: Schema, word = 'none') => ({
  kind: 'text' as const,
  placeholder,
  schema: schema.nullable(),
  default: null,
  words: { [word]: null },
})

/** Returns what settings with a list of texts have in common, for which the word stands for no text. */
export const list = <Schema extends z.ZodType>(placeholder: string, schema: Schema, word = 'none') => ({
  kind: 'list' as const,
  placeholder,
  schema,
  default: [],
  words: { [word]: [] },
})

/** Returns the value of a text of the command line, or the message of its first error. */
export function readSetting({ kind, schema, words = {} }: Setting, given: string) {
  const value = Object.hasOwn(words, given) ? words[given] : valueIn(kind, given)
  const { data, error } = schema.safeParse(value)
  return { value: data, error: error?.issues[0]?.message }
}

/** Returns undefined for a text that no schema of this kind accepts. */
function valueIn(kind: Setting['kind'], given: string): unknown {
  if (kind === 'switch') return undefined
  if (kind === 'number') return /^\d{1,9}$/.test(given) ? Number(given) : undefined
  if (kind === 'list') return given.split(',').map((each) => each.trim())
  if (kind !== 'json') return given
  try {
    return JSON.parse(given)
  } catch {
    return undefined
  }
}

/** Returns a value in words. */
export function shownSetting({ unit, empty = 'none' }: Setting, value: unknown) {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (Array.isArray(value)) return value.join(', ') || empty
  if (value === null || value === 0) return empty
  if (unit === 'days') return `${value} ${value === 1 ? 'day' : 'days'}`
  if (unit === 'seconds') return `${value} s`
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
