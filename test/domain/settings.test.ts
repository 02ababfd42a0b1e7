import { readSetting, type SettingName, settings, shownSetting } from '@usher/contract/settings'
import { expect, it } from 'vitest'

const urlOf = (length: number) => `https://a.test/${'a'.repeat(length - 'https://a.test/'.length)}`
const claimsOf = (bytes: number) => JSON.stringify({ a: 'a'.repeat(bytes - '{"a":""}'.length) })

it.for<[SettingName, string, unknown]>([
  ['webhookUrl', 'http://a.test/hook?key=1', 'http://a.test/hook?key=1'],
  ['webhookUrl', urlOf(2_000), urlOf(2_000)],
  ['webhookUrl', 'none', null],
  ['appUrl', 'https://a.test/app//', 'https://a.test/app'],
  ['appUrl', 'none', null],
  ['claims', claimsOf(1_024), JSON.parse(claimsOf(1_024))],
  ['eventsKept', '90', 90],
])('%s accepts %s', ([name, text, value]) => {
  expect(readSetting(settings[name], text)).toEqual({ value, error: undefined })
})

it.for<[SettingName, string, string]>([
  ['webhookUrl', 'a.test', 'must be an http or https URL, or "none"'],
  ['webhookUrl', 'ftp://a.test', 'must be an http or https URL, or "none"'],
  ['webhookUrl', 'https://name@a.test', 'must have no user name, no password and no fragment'],
  ['webhookUrl', 'https://:secret@a.test', 'must have no user name, no password and no fragment'],
  ['webhookUrl', 'https://a.test/#part', 'must have no user name, no password and no fragment'],
  ['webhookUrl', urlOf(2_001), 'must have at most 2000 characters'],
  ['appUrl', 'https://a.test/?a=1', 'must have no query'],
  ['claims', claimsOf(1_025), 'must have at most 1024 bytes'],
  ['claims', '{"plan":{"id":9007199254740993}}', expect.stringContaining('no whole number beyond')],
  ['claims', '{', 'must be a JSON object, such as {"role":"authenticated"}'],
])('%s refuses %s', ([name, text, error]) => {
  expect(readSetting(settings[name], text)).toEqual({ value: undefined, error })
})

it.for([
  [0, 'none'],
  [1, '1 day'],
  [90, '90 days'],
] as const)('events that are kept for %i days are shown as "%s"', ([days, text]) => {
  expect(shownSetting(settings.eventsKept, days)).toBe(text)
})
