import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { defaultSettings, settings } from '../../server/domain/databases/settings.js'
import {
  chanceOfGuess,
  freeGuesses,
  mostFailures,
  secondsPerGuess,
  totp,
} from '../../server/domain/factors/totp.js'
import { triesOfDigits } from '../../server/domain/login/mail.js'
import { networksPerSite } from '../../server/domain/throttle/network-allowance.js'
import { mailsPerHour } from '../../server/domain/throttle/request-limits.js'
import { freeFailures, knownMilliseconds, secondsLeft } from '../../server/domain/throttle/rules.js'

const read = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
const number = (value: number) => value.toLocaleString('en')
const daySeconds = 86_400

/** Returns the seconds to wait after a number of failures. */
const waitAfter = (kind: 'network' | 'account', count: number) =>
  secondsLeft({ network: undefined, account: undefined, [kind]: { count, lastAt: new Date(0) } }, 0)

/** Returns the times of the failures of a day, in seconds, by an attacker who always tries again immediately. */
function failuresOfADay(kind: 'network' | 'account') {
  const times: number[] = []
  for (let at = 0; at < daySeconds; at += waitAfter(kind, times.length)) times.push(at)
  return times
}

it('the documents have the figures of the throttle', async () => {
  const longest = waitAfter('network', 1_000)
  const ofNetwork = failuresOfADay('network')
  const doubling = ofNetwork.filter((at, index) => at - (ofNetwork[index - 1] ?? 0) < longest)
  const perDay = daySeconds / longest
  const { networkFailuresPerHour: perHour } = defaultSettings

  const security = (await read('SECURITY.md')).replace(/\s+/g, ' ')
  expect(security).toContain(
    `after the ${freeFailures.network}th failure the wait is ${waitAfter('network', freeFailures.network)} s and doubles with each further one, up to ${longest} s.`,
  )
  expect(security).toContain(
    `| one account, one network | ${doubling.length} in the first ${number(doubling.at(-1) ?? 0)} s, ${ofNetwork.length} in all | ${perDay} |`,
  )
  expect(security).toContain(
    `| one account, any number of networks | ${freeFailures.account} immediately, ${failuresOfADay('account').length} in all | ${perDay} |`,
  )
  expect(security).toContain(
    `| all accounts of a database, one network | ${perHour} immediately, ${number(25 * perHour)} in all | ${number(24 * perHour)} |`,
  )
  const perSite = networksPerSite * perHour
  expect(security).toContain(
    `| all accounts of a database, one /48 of IPv6 | ${perSite} immediately, ${number(25 * perSite)} in all | ${number(24 * perSite)} |`,
  )
  expect(await read('docs/api.md')).toContain(`After ${freeFailures.account} failures from any`)
})

it('the documents have the time for which a network is known', async () => {
  const days = knownMilliseconds / (daySeconds * 1000)
  expect(await read('contract/management-openapi.json')).toContain(`A network is known for ${days} days.`)
  expect(await read('docs/glossary.md')).toContain(
    `A network from which a user logged in within the last ${days} days.`,
  )
})

it('SECURITY.md has the guesses of digits', async () => {
  const text = await read('SECURITY.md')
  const guesses = (mails: number) => (triesOfDigits * mails).toLocaleString('en')
  expect(text).toContain(`| one address, any number of networks | ${guesses(mailsPerHour.address)} an hour,`)
  expect(text).toContain(`| all addresses, one network | ${guesses(mailsPerHour.network)} an hour |`)
  expect(text).toContain(`| ${guesses(settings.mailsPerHour.default)} an hour, by the default of`)
})

it('SECURITY.md has the guesses of codes of an authenticator app, and their chances', async () => {
  const text = await read('SECURITY.md')
  const [, section = ''] = /^### How many guesses of codes(.*?)^###/ms.exec(text) ?? []
  const percent = (chance: number) => `${Number((100 * chance).toPrecision(2))} %`
  /** The chance that one of a number of guesses is right, for users with a number of apps. */
  const chance = (guesses: number, apps: number) => percent(1 - (1 - apps * chanceOfGuess) ** guesses)
  const row = (attacker: string, guesses: string, count: number, time = '') =>
    `| ${attacker} | ${guesses} | ${chance(count, 1)}${time} | ${chance(count, totp.most)}${time} |`
  const inAYear = freeGuesses + Math.floor((365 * daySeconds) / secondsPerGuess)
  const days = ((mostFailures - freeGuesses) * secondsPerGuess) / daySeconds
  expect(section).toContain(
    row(
      'one user, from unknown networks',
      `${freeGuesses} immediately, ${number(inAYear)} in a year`,
      inAYear,
      ' a year',
    ),
  )
  expect(section).toContain(
    row(
      'one user, also from a known network',
      `${2 * freeGuesses} immediately, ${number(2 * inAYear)} in a year`,
      2 * inAYear,
      ' a year',
    ),
  )
  expect(section).toContain(
    row(
      `one user who enters no code for ${days} days, from unknown networks`,
      `${mostFailures} in all`,
      mostFailures,
    ),
  )
  const users = 1_000
  expect(section).toContain(
    row(`one of ${number(users)} users`, `${number(users * freeGuesses)} immediately`, users * freeGuesses),
  )
  expect(section).toContain(`${daySeconds / secondsPerGuess} a day`)
  const hoursToHalf = Math.log(2) / chanceOfGuess / 10 / 3600
  expect(section.replace(/\s+/g, ' ')).toContain(
    `Without this count, ten guesses a second would find a code in ${hoursToHalf.toFixed(1)} hours, with a chance of a half`,
  )
})
