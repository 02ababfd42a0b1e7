import type { DataOf } from '../../api.js'

export type Setting = DataOf<'getSettings'>['settings'][number]

/** Returns a text of the command line as the form has it: no word stands for an empty field, and hints name the separator. */
export const inForm = (text: string) =>
  text.replace(', by commas', '').replace(/"(?:none|default)"/, 'an empty field')

/** Returns the settings by group, each in the given order. */
export const grouped = (settings: readonly Setting[]) =>
  [...new Set(settings.map(({ group }) => group))].map((title) => ({
    title,
    settings: settings.filter(({ group }) => group === title),
  }))
