import type { DataOf } from '../../api.js'

export type Setting = DataOf<'getSettings'>['settings'][number]

/** Returns a text of the command line as the form has it: no word stands for an empty field, and hints name the separator. */
export const inForm = (text: string) =>
  text.replace(', by commas', '').replace(/"(?:none|default)"/, 'an empty field')

/** Settings whose names match belong to the group. The first match counts. */
const groups: readonly [title: string, names: RegExp][] = [
  ['Logins and passwords', /^(password|login|network|signUp|accountOperations|require.*Email|verify)/],
  ['Second factor and passkeys', /^(secondFactor|passkey)/],
  ['Tokens and sessions', /^(token|signing|session|claims)/],
  ['Tenants', /^(tenant|roles|invitation|requireVerifiedInviter)/],
  ['App, mails and events', /^(app|mail|webhook|event|notice)/],
]

/** Returns the settings by group, each in the given order. */
export function grouped(settings: readonly Setting[]) {
  const titleOf = ({ name }: Setting) => groups.find(([, names]) => names.test(name))?.[0] ?? 'Others'
  return [...groups.map(([title]) => title), 'Others']
    .map((title) => ({ title, settings: settings.filter((setting) => titleOf(setting) === title) }))
    .filter((group) => group.settings.length > 0)
}
