import type { ComponentChildren } from 'preact'

/** A value before and after. */
export interface Difference {
  name: string
  former: string
  latter: string
}

/** Shows values side by side. */
export function Versions({
  caption,
  former,
  latter,
  differences,
  children,
}: {
  caption: string
  former: string
  latter: string
  differences: readonly Difference[]
  children?: ComponentChildren
}) {
  return (
    <>
      <table class="versions">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">{former}</th>
            <th scope="col">{latter}</th>
          </tr>
        </thead>
        <tbody>
          {differences.map((each) => (
            <tr key={each.name}>
              <th scope="row">{each.name}</th>
              <td>
                <bdi>{each.former || 'none'}</bdi>
              </td>
              <td>
                <bdi>{each.latter || 'none'}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {children}
    </>
  )
}

type Values = Readonly<Record<string, unknown>>

/**
 * Returns the differences between the version of the operator and the one that somebody else has stored meanwhile. Fields that only
 * the other one has changed are kept.
 */
export const conflicts = (
  fields: readonly { name: string; label: string }[],
  { mine, former, stored }: { mine: Values; former: Values; stored: Values },
): Difference[] =>
  fields
    .filter(({ name }) => name in mine || textOf(stored[name]) !== textOf(former[name]))
    .map(({ name, label }) => ({
      name: name in mine ? label : `${label} (changed by somebody else, kept)`,
      former: textOf(name in mine ? mine[name] : stored[name]),
      latter: textOf(stored[name]),
    }))

/** Returns a value as a text that can be edited. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

/** Returns the value of a text. @throws {SyntaxError} if it is not JSON */
export function valueFrom(text: string, kind: string): unknown {
  if (kind === 'switch') return text === 'on'
  if (kind === 'list')
    return text
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean)
  if (text.trim() === '') return null
  if (kind === 'number') return Number(text)
  return kind === 'json' ? JSON.parse(text) : text
}
