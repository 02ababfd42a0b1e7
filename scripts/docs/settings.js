import {
  mailSettings,
  notices as noticeSettings,
  settingGroups,
  shownSetting,
} from '@usher/contract/settings'
import { codes, sentence, table } from './markdown.js'

/** Returns the allowed values of a setting. */
function valuesOf({ kind, choices, range, words = {}, placeholder }) {
  if (kind === 'switch' || kind === 'choice') return codes(choices)
  const others = Object.keys(words).map((word) => `or \`${word}\``)
  return [range ? range.join(' to ') : placeholder, ...others].join(' ')
}

/** Returns the option of a setting. */
export const optionOf = (name) => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

const rowsOf = (settings) =>
  Object.entries(settings).map(([name, setting]) => [
    `\`${optionOf(name)}\``,
    valuesOf(setting),
    setting.kind === 'number' ? (setting.default ?? setting.empty) : shownSetting(setting, setting.default),
    sentence(setting.text),
    setting.confirms ? 'yes' : '',
  ])

const headings = ['option', 'values', 'default', 'what it decides', 'confirmed']

/** The settings of a database, by group. */
export const settings = Object.entries({ ...settingGroups, 'Look of mails': mailSettings })
  .map(([title, settings]) => `## ${title}\n\n${table(headings, rowsOf(settings))}`)
  .join('\n\n')

/** The mails without a code, with the setting that turns them on. */
export const notices = table(
  ['mail', 'when it is sent', 'setting', 'default'],
  Object.entries(noticeSettings).map(([name, { mails, when, isOff }]) => [
    codes(mails),
    sentence(when),
    `\`${optionOf(name)}\``,
    isOff ? 'off' : 'on',
  ]),
)
