import { z } from 'zod'

/** A setting of a database. Its option has the same name: `--mails-per-hour` for `mailsPerHour`. */
export interface Setting<Schema extends z.ZodType> {
  /** The allowed values. The message of an issue follows the name of the setting: `must be …`. */
  schema: Schema
  default: z.infer<Schema>
  /** Placeholder of the value in the help of its option, such as `<seconds>`. */
  placeholder: string
  /** Description of its option. */
  description: string
  /** The allowed texts, if there are few. */
  choices?: readonly string[]
  /** Smallest and largest number. */
  range?: readonly [min: number, max: number]
  /** Values of texts that `read` does not know, such as `none`. */
  words?: Readonly<Record<string, unknown>>
  /** Returns the value of another text, for the schema to check. */
  read(text: string): unknown
  /** Its name in the output of commands. A setting without label is shown as part of another one. */
  label?: string
  show?(value: z.infer<Schema>, all: Record<string, unknown>): string
}

/** Returns the definition, and lets TypeScript infer its type. */
export const setting = <Schema extends z.ZodType>(definition: Setting<Schema>) => definition

/** Returns what settings with a few allowed words have in common. */
export const choice = <const Value extends string>(values: Readonly<Record<string, Value>>) => {
  const choices = Object.values(values)
  return { schema: z.enum(choices), choices, read: (text: string) => text, show: (value: Value) => value }
}

/** Returns what settings that are on or off have in common. */
export const switched = (on: string, off: string) => ({
  schema: z.boolean(),
  placeholder: '<state>',
  choices: ['on', 'off'],
  words: { on: true, off: false },
  read: () => undefined,
  show: (value: boolean) => (value ? on : off),
})

function wholeNumberSchema(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`
  return z.int(error).min(min, error).max(max, error)
}

/** Returns what settings with a whole number have in common. */
export const wholeNumber = (min: number, max: number) => ({
  schema: wholeNumberSchema(min, max),
  range: [min, max] as const,
  read: (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
})

/** Returns what limits per hour have in common. */
export const perHour = () => ({
  ...wholeNumber(0, 1_000_000),
  placeholder: '<number>',
  show: (limit: number) => (limit === 0 ? 'no limit' : `${limit} an hour`),
})

/** What settings with a URL or `none` have in common. */
export const url = {
  placeholder: '<url>',
  words: { none: null },
  read: (text: string) => text,
  show: (value: string | null) => value ?? 'none',
}

/** Returns the value of a JSON text, or undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const maxLength = 2_000

/** The URL of a webhook. */
export const webhookUrl = httpUrl(({ href }) => href)

/** The URL of an app, without a slash at its end, because paths and codes are appended. */
export const appUrl = httpUrl(({ href, search }, fail) => {
  if (search) fail('must have no query')
  return href.replace(/\/+$/, '')
})

/** Returns the schema of an http or https URL, or null. */
function httpUrl(normalize: (url: URL, fail: (message: string) => void) => string) {
  const expected = 'must be an http or https URL, or "none"'
  return z
    .string(expected)
    .max(maxLength, { error: `must have at most ${maxLength} characters`, abort: true })
    .transform((text, { addIssue }) => {
      const url = URL.canParse(text) ? new URL(text) : undefined
      if (!url || !/^https?:$/.test(url.protocol)) {
        addIssue(expected)
        return z.NEVER
      }
      if (url.username || url.password || url.hash)
        addIssue('must have no user name, no password and no fragment')
      if (url.href.length > maxLength) addIssue(`must have at most ${maxLength} characters`)
      return normalize(url, addIssue)
    })
    .nullable()
}
