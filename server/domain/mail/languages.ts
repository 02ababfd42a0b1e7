import { canonicalLocale } from '@usher/contract'

/** Languages that are remembered of a request. */
const maxLanguages = 5
/** Characters of the header that are read. Browsers send fewer than 200. */
const maxCharacters = 500

/** Returns the languages of an `Accept-Language` header (RFC 9110 §12.5.4), those with the highest quality first. */
export function acceptedLanguages(header = ''): string[] {
  const ranges = header
    .slice(0, maxCharacters)
    .split(',')
    .flatMap((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
      const given = parameters.find((part) => part.startsWith('q='))
      const quality = given === undefined ? 1 : Number(given.slice(2))
      const locale = canonicalLocale(tag)
      return locale && quality > 0 ? [{ locale, quality }] : []
    })
    .sort((one, other) => other.quality - one.quality)
  return [...new Set(ranges.map(({ locale }) => locale))].slice(0, maxLanguages)
}

/** Returns a language tag and what is left of it without its last parts: `zh-Hant-TW`, `zh-Hant`, `zh` (RFC 4647 §3.4). */
export function* fallbacksOf(tag: string) {
  const parts = tag.split('-')
  for (let length = parts.length; length > 0; length--) yield parts.slice(0, length).join('-')
}

/** Scripts that are written from right to left. */
const rightToLeft = ['Adlm', 'Arab', 'Hebr', 'Nkoo', 'Rohg', 'Syrc', 'Thaa']

/** Returns the direction in which a language is written. */
export const directionOf = (locale: string) =>
  rightToLeft.includes(new Intl.Locale(locale).maximize().script ?? '') ? 'rtl' : 'ltr'

/** Returns an instant as mails show it, such as `March 8, 2026 at 12:00 PM UTC`. */
export const shownTime = (instant: Date, locale: string) =>
  new Intl.DateTimeFormat(locale, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).format(instant)

const hourMilliseconds = 3_600_000
const units = [
  ['day', 24 * hourMilliseconds],
  ['hour', hourMilliseconds],
  ['minute', 60_000],
] as const

/** Returns a duration of whole minutes as mails show it, such as `7 days`, `24 hours` or `10 minutes`. */
export function shownDuration(milliseconds: number, locale: string) {
  const fits = units.filter(([, length]) => milliseconds % length === 0)
  // A single day is shown in hours.
  const [unit, length] = fits.find(([unit, length]) => unit !== 'day' || milliseconds > length) ?? units[2]
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(milliseconds / length)
}
