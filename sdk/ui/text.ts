import type { Texts } from './texts/en.js'
import type { Line, Shown } from './view.js'

/** The texts of a language. */
export interface Language {
  /** BCP 47 tag, which decides plurals, numbers and dates. */
  language: string
  texts: Partial<Texts>
}

/**
 * Returns a text of a screen, such as for a page that draws the screens itself.
 *
 * @example
 * ```ts
 * import { en } from '@usher/sdk/ui/texts/en'
 * textOf(screen.title, { texts: en, language: 'en' })
 * ```
 */
export const textOf = (shown: Shown, language: Language) =>
  'text' in shown
    ? shown.text
    : piecesOf(shown, language)
        .map(({ text }) => text)
        .join('')

/** Returns the parts of a text. Those that replace a name in braces are `given`: they may have another direction. */
export const piecesOf = (line: Line, language: Language) =>
  templateOf(line, language)
    .split(/\{(\w+)\}/)
    .map((piece, index) =>
      index % 2
        ? { text: formatted(line.values?.[piece], language), isGiven: true }
        : { text: piece, isGiven: false },
    )

function formatted(value: string | number | Date | Line | undefined, look: Language): string {
  const { language } = look
  if (typeof value === 'object' && 'key' in value) return textOf(value, look)
  if (value instanceof Date) return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(value)
  return typeof value === 'number' ? new Intl.NumberFormat(language).format(value) : (value ?? '')
}

function templateOf({ key, values, otherwise = key }: Line, { texts, language }: Language) {
  const text = texts[key] ?? otherwise
  if (typeof text === 'string') return text
  const form = new Intl.PluralRules(language).select(Number(values?.count))
  return text[form] ?? text.other
}
