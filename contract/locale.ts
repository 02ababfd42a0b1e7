import { z } from 'zod'
import { failsWith, mustBe } from './field-errors.js'

/** Longest language tag of a locale (RFC 5646 §4.4.1). */
export const maxLocaleLength = 35

/**
 * Returns a language tag (BCP 47) in its canonical form and without extensions, such as `pt-BR` for `pt-br-u-ca-buddhist`.
 * Also reads the names of operating systems, such as `zh_Hant_TW` and `pt_BR.UTF-8`. Returns undefined for other texts.
 */
export function canonicalLocale(text: string): string | undefined {
  try {
    if (text.length > maxLocaleLength) return undefined
    return new Intl.Locale(text.replace(/[.@].*/s, '').replaceAll('_', '-')).baseName
  } catch {
    return undefined
  }
}

/** Returns the schema of a locale in a request. */
export const locale = () =>
  z
    .string(mustBe('a string'))
    .overwrite((text) => canonicalLocale(text.trim()) ?? '')
    .refine((tag) => tag !== '', failsWith('invalid_type', 'must be a BCP 47 language tag, such as pt-BR'))
