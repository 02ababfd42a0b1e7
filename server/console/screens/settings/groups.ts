import type { DataOf } from '../../api.js'
import { counted } from '../../parts/text.js'
import { textOf } from '../../parts/versions.js'

export type Setting = DataOf<'getSettings'>['settings'][number]

/** Returns a text of the command line as the form has it: no word stands for an empty field, and hints name the separator. */
export const inForm = (text: string) =>
  text.replace(', by commas', '').replace(/"(?:none|default)"/, 'an empty field')

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns what the form calls a setting outside its field. */
export const nameOf = ({ label, unit }: Setting) => capital(label) + (unit ? ` (${unit})` : '')

/** Returns the settings by group, each in the given order. */
export const grouped = (settings: readonly Setting[]) =>
  [...new Set(settings.map(({ group }) => group))].map((title) => {
    const ofGroup = settings.filter(({ group }) => group === title)
    return { title, guide: ofGroup[0]?.guide, settings: ofGroup }
  })

/** Where a value comes from. An empty one is inherited, if it means the value of something else. */
export type Origin = 'changed' | 'inherited' | 'default'

export function originOf({ default: usual, empty }: Setting, text: string): Origin {
  if (text !== textOf(usual)) return 'changed'
  return text === '' && empty ? 'inherited' : 'default'
}

/** Returns whether the name or the description of a setting, or the name of its group, has each word of a text. */
export function isFound({ name, label, description, group }: Setting, text: string) {
  const searched = `${name} ${label} ${description} ${group}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word))
}

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Returns a number of seconds in larger units, or undefined if that says no more. */
export function inLargerUnits(unit: string | null, text: string) {
  if (unit !== 'seconds' || !/^\d{2,9}$/.test(text) || Number(text) < 60) return undefined
  let left = Number(text)
  const parts = units.map(([name, seconds]) => {
    const number = Math.floor(left / seconds)
    left %= seconds
    return number && counted(number, name)
  })
  return parts.filter(Boolean).join(' ')
}
