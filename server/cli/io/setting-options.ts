import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { readSetting, type Setting, shownSetting } from '@usher/contract/settings'
import { usageError } from '../../domain/problem.js'

interface GivenSetting {
  value: unknown
  text: string
}

/** Returns the option of each setting. Values are wrapped, because commander treats null as no value. */
export const settingOptions = <Name extends string>(entries: readonly [Name, Setting][]) =>
  entries.map(([name, setting]) => {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    const option = new Option(`${flag} <${setting.placeholder}>`, setting.text)
    if (setting.choices) option.choices(setting.choices)
    const parse = (given: string, before?: GivenSetting) => {
      // A list may be given by several options.
      const text = Array.isArray(setting.default) && before ? `${before.text},${given}` : given
      return { value: valueIn(setting, flag, text), text }
    }
    return { name, setting, option: option.argParser(parse) }
  })

/** Returns the settings in the options of a command, of those that have these names. */
export const givenSettings = <Settings extends object>(
  options: object,
  entries: readonly [keyof Settings & string, unknown][],
) =>
  Object.fromEntries(
    Object.entries(options)
      .filter(([name]) => entries.some(([each]) => each === name))
      .map(([name, { value }]) => [name, value]),
  ) as Partial<Settings>

function valueIn(setting: Setting, flag: string, text: string) {
  const { value, error } = readSetting(setting, text)
  if (!error) return value
  if (setting.choices) throw new InvalidArgumentError(`Allowed choices are ${setting.choices.join(', ')}.`)
  if (setting.range)
    throw new InvalidArgumentError(`Expected a whole number from ${setting.range.join(' to ')}.`)
  throw usageError(`${flag} ${error}`)
}

/** Returns the titles and values that commands print. */
export const shownSettings = <Name extends string>(
  values: Record<Name, unknown>,
  entries: readonly [Name, Setting][],
) => entries.map(([name, setting]) => [setting.title, shownSetting(setting, values[name])] as const)
