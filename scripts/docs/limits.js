import { managementBytes, maxImportedLines } from '@usher/contract/management'
import { openApiDocument } from '@usher/contract/openapi'
import { defaultSettings, settings } from '@usher/contract/settings'
import { passkey } from '../../server/dist/domain/factors/passkey.js'
import {
  chanceOfGuess,
  freeGuesses,
  mostFailures,
  secondsPerGuess,
  totp,
} from '../../server/dist/domain/factors/totp.js'
import { pendingInTenant } from '../../server/dist/domain/invitations/invite.js'
import { triesOfDigits } from '../../server/dist/domain/login/mail.js'
import { maxApiKeys } from '../../server/dist/domain/management/api-keys.js'
import { maxConnections } from '../../server/dist/domain/management/connections.js'
import { maxConnections as maxTenantConnections } from '../../server/dist/domain/sso/connections.js'
import { maxDomains } from '../../server/dist/domain/sso/domains.js'
import { networksPerSite } from '../../server/dist/domain/throttle/network-allowance.js'
import {
  invitationLimits,
  mailsPerHour,
  mailsPerHourOfUser,
  routesPerHour,
  ssoMailsPerHour,
} from '../../server/dist/domain/throttle/request-limits.js'
import {
  freeFailures,
  knownMilliseconds,
  retentionMilliseconds,
  secondsLeft,
} from '../../server/dist/domain/throttle/rules.js'
import { bodyLimitBytes } from '../../server/dist/http/app.js'
import { table } from './markdown.js'

const number = (value) => value.toLocaleString('en')
const daySeconds = 86_400

/** Returns the seconds to wait after a number of failures. */
const waitAfter = (kind, count) =>
  secondsLeft({ network: undefined, account: undefined, [kind]: { count, lastAt: new Date(0) } }, 0)

/** Returns the times of the failures of a day, in seconds, by an attacker who always tries again immediately. */
function failuresOfADay(kind) {
  const times = []
  for (let at = 0; at < daySeconds; at += waitAfter(kind, times.length)) times.push(at)
  return times
}

const longestWait = waitAfter('network', 1_000)
const ofNetwork = failuresOfADay('network')
const doubling = ofNetwork.filter((at, index) => at - (ofNetwork[index - 1] ?? 0) < longestWait)
const perDay = daySeconds / longestWait

/** An allowance of failures per hour. It is full at first. */
const allowance = (perHour) => [
  `${number(perHour)} immediately, ${number(25 * perHour)} in all`,
  number(24 * perHour),
]

const passwords = table(
  ['attacker', 'guesses in the first 24 hours', 'per day after that'],
  [
    [
      'one account, one network',
      `${doubling.length} in the first ${number(doubling.at(-1))} s, ${ofNetwork.length} in all`,
      perDay,
    ],
    [
      'one account, any number of networks',
      `${freeFailures.account} immediately, ${failuresOfADay('account').length} in all`,
      perDay,
    ],
    ['all accounts of a database, one network', ...allowance(defaultSettings.networkFailuresPerHour)],
    [
      'all accounts of a database, one /48 of IPv6',
      ...allowance(networksPerSite * defaultSettings.networkFailuresPerHour),
    ],
  ],
)

const waits = `After the ${freeFailures.network}th failure of an account in a network the wait is ${waitAfter('network', freeFailures.network)} s, and doubles with each further one, up to ${longestWait} s. A network is known for ${knownMilliseconds / (daySeconds * 1000)} days after a login. Pausing for ${retentionMilliseconds / 3_600_000} hours clears the count of an account: ${freeFailures.account} guesses a day instead of ${perDay}.`

const percent = (chance) => `${Number((100 * chance).toPrecision(2))} %`
/** Returns the chance that one of a number of guesses at six digits is right. */
const chanceOfDigits = (guesses) => percent(1 - (1 - 1e-6) ** guesses)
const digitsOf = (mails) => number(triesOfDigits * mails)
const guessesOfAddress = failuresOfADay('account').length

const digits = table(
  ['attacker', 'guesses', 'chance'],
  [
    [
      'one address, any number of networks',
      `${digitsOf(mailsPerHour.address)} an hour, ${guessesOfAddress} in the first 24 hours`,
      `${chanceOfDigits(guessesOfAddress)} a day`,
    ],
    [
      'all addresses, one network',
      `${digitsOf(mailsPerHour.network)} an hour`,
      `${chanceOfDigits(triesOfDigits * mailsPerHour.network)} an hour`,
    ],
    [
      'all addresses, any number of networks',
      `${digitsOf(defaultSettings.mailsPerHour)} an hour, by the default of \`--mails-per-hour\``,
      `${chanceOfDigits(triesOfDigits * defaultSettings.mailsPerHour)} an hour for one of all addresses`,
    ],
  ],
)

/** Returns the chance that one of a number of guesses is right, for a user with a number of apps. */
const chanceOfCode = (guesses, apps) => percent(1 - (1 - apps * chanceOfGuess) ** guesses)
const codeRow = (attacker, guesses, count, time = '') => [
  attacker,
  guesses,
  chanceOfCode(count, 1) + time,
  chanceOfCode(count, totp.most) + time,
]
const inAYear = freeGuesses + Math.floor((365 * daySeconds) / secondsPerGuess)
const fullAfterDays = ((mostFailures - freeGuesses) * secondsPerGuess) / daySeconds
const users = 1_000

const codes = table(
  ['attacker', 'guesses', 'chance with one app', `with ${totp.most} apps`],
  [
    codeRow(
      'one user, from unknown networks',
      `${freeGuesses} immediately, ${number(inAYear)} in a year`,
      inAYear,
      ' a year',
    ),
    codeRow(
      'one user, also from a known network',
      `${2 * freeGuesses} immediately, ${number(2 * inAYear)} in a year`,
      2 * inAYear,
      ' a year',
    ),
    codeRow(
      `one user who enters no code for ${fullAfterDays} days, from unknown networks`,
      `${mostFailures} in all`,
      mostFailures,
    ),
    codeRow(
      `one of ${number(users)} users`,
      `${number(users * freeGuesses)} immediately`,
      users * freeGuesses,
    ),
  ],
)

const hoursToHalf = Math.log(2) / chanceOfGuess / 10 / 3600
const allowances = `Each of the two allowances of a user permits ${freeGuesses} wrong codes immediately and then ${daySeconds / secondsPerGuess} a day. After ${mostFailures} wrong codes in a row it accepts none. Without this count, ten guesses a second would find a code in ${hoursToHalf.toFixed(1)} hours, with a chance of a half.`

const mails = table(
  ['what', 'mails of each kind', 'invitations', '`limit` in the audit line'],
  [
    [
      'an address, without its `+tag`',
      `1 a minute, ${mailsPerHour.address} an hour`,
      `${invitationLimits.addressPerDay} a day`,
      '`address`',
    ],
    [
      'a client network: an IPv4 address, or the /64 of an IPv6 address',
      `${mailsPerHour.network} an hour`,
      `${invitationLimits.network} an hour`,
      '`network`',
    ],
    [
      'the /48 of an IPv6 address',
      `${mailsPerHour.site} an hour`,
      `${invitationLimits.site} an hour`,
      '`site`',
    ],
    [
      'a user',
      `${mailsPerHourOfUser} an hour: changes of the address, notices`,
      `${invitationLimits.perHour} an hour, ${invitationLimits.perDay} a day`,
      '`user`, `inviter`',
    ],
    ['a tenant', `${ssoMailsPerHour} changes of its single sign-on an hour`, 'none', '`tenant`'],
    [
      'a database, all kinds together',
      `${defaultSettings.mailsPerHour} an hour, or \`--mails-per-hour\``,
      'counted too',
      '`database`',
    ],
    [
      'a database, all kinds except those with which users return',
      'half of that',
      'counted too',
      '`database`',
    ],
  ],
)

const recovery = `A limit recovers evenly: after ${mailsPerHour.address} mails an address gets the next one after ${60 / mailsPerHour.address} minutes.`

const kibibytes = (bytes) => `${bytes / 1024} KiB`
const { schemas } = openApiDocument('', '').components
const lengthOf = (component, field) => `${schemas[component].properties[field].maxLength} characters`
const [fewest, most] = settings.sessionsPerUser.range

const sizes = table(
  ['what', 'maximum'],
  [
    ['body of a request', kibibytes(bodyLimitBytes)],
    ['body of a request of the management API', kibibytes(managementBytes)],
    ['lines of one request of an import', maxImportedLines],
    ['email address', lengthOf('CreateUserBody', 'email')],
    ['new password', lengthOf('CreateUserBody', 'password')],
    ['preferred name', lengthOf('CreateUserBody', 'preferredName')],
    ['pending invitations of a tenant', pendingInTenant],
    ['sessions of a user', `${fewest} to ${most}, by \`--sessions-per-user\``],
    ['authenticator apps of a user', totp.most],
    ['passkeys of a user', passkey.most],
    ['API keys of a database', maxApiKeys],
    ['connections of a database', maxConnections],
    ['connections of a tenant', maxTenantConnections],
    ['mail domains of a tenant', maxDomains],
  ],
)

const routes = `\`routeLogin\`, which says whether the domain of an address has [single sign-on](guides/single-sign-on.md), answers a client network ${number(routesPerHour.network)} times an hour, and the /48 of an IPv6 address ${number(routesPerHour.site)} times. Further requests return \`429 too_many_attempts\`.`

/** The parts of docs/limits.md. */
export const limits = { waits, passwords, digits, allowances, codes, mails, recovery, routes, sizes }
