/** Values of the placeholders of all mails, such as `{{link}}`. A value that a mail does not have is left out. */
export const placeholders = [
  'app',
  'appUrl',
  'email',
  'name',
  'link',
  'digits',
  'validFor',
  'until',
  'tenant',
  'inviter',
  'provider',
  'domain',
  'expires',
  'time',
] as const
export type Placeholder = (typeof placeholders)[number]

const sections: ReadonlyMap<string, Placeholder> = new Map(placeholders.map((name) => [`#${name}`, name]))

/** A placeholder in a text: what is between its braces, where it starts, and where the text goes on. */
interface Found {
  name: string
  start: number
  end: number
}

/** Yields what is between `{{` and `}}` in one line. Reads each character a few times, however often `{{` occurs. */
function* placeholdersIn(text: string): Generator<Found> {
  let start = text.indexOf('{{')
  while (start >= 0) {
    const close = text.indexOf('}}', start + 2)
    if (close < 0) return
    const name = text.slice(start + 2, close)
    const lastLine = name.lastIndexOf('\n') + 1
    const end = lastLine === 0 ? close + 2 : start + 2 + lastLine
    if (lastLine === 0) yield { name, start, end }
    start = text.indexOf('{{', end)
  }
}

/** Returns the names in a text, with the `#` and `/` of sections. */
export const namesIn = (text: string) => [...placeholdersIn(text)].map(({ name }) => name)

/** Returns a text with others in place of its placeholders. */
export function replacePlaceholders(text: string, replace: (name: string) => string) {
  const parts: string[] = []
  let from = 0
  for (const { name, start, end } of placeholdersIn(text)) {
    parts.push(text.slice(from, start), replace(name))
    from = end
  }
  return [...parts, text.slice(from)].join('')
}

/**
 * Returns a text with others in place of its sections: what is between `{{#name}}` and `{{/name}}`, which is left out if the
 * value of the name is.
 */
export function replaceSections(text: string, replace: (name: Placeholder, content: string) => string) {
  const parts: string[] = []
  const unclosed = new Set<string>()
  let from = 0
  for (const { name, start, end } of placeholdersIn(text)) {
    const section = sections.get(name)
    if (start < from || section === undefined || unclosed.has(name)) continue
    const close = `{{/${section}}}`
    const closes = text.indexOf(close, end)
    if (closes < 0) unclosed.add(name)
    else {
      parts.push(text.slice(from, start), replace(section, text.slice(end, closes)))
      from = closes + close.length
    }
  }
  return [...parts, text.slice(from)].join('')
}
