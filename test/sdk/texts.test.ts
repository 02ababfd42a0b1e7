import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { ar } from '../../sdk/ui/texts/ar.js'
import { de } from '../../sdk/ui/texts/de.js'
import { en as signIn, type Text, type TextKey, type Texts } from '../../sdk/ui/texts/en.js'
import { enAccount } from '../../sdk/ui/texts/en-account.js'
import { es } from '../../sdk/ui/texts/es.js'
import { fr } from '../../sdk/ui/texts/fr.js'
import { ja } from '../../sdk/ui/texts/ja.js'
import { arSso } from '../../sdk/ui/texts/sso-ar.js'
import { deSso } from '../../sdk/ui/texts/sso-de.js'
import { enSso } from '../../sdk/ui/texts/sso-en.js'
import { esSso } from '../../sdk/ui/texts/sso-es.js'
import { frSso } from '../../sdk/ui/texts/sso-fr.js'
import { jaSso } from '../../sdk/ui/texts/sso-ja.js'

const en: Texts = { ...signIn, ...enAccount, ...enSso }
const translated: Record<string, Texts> = {
  ar: { ...ar, ...arSso },
  de: { ...de, ...deSso },
  es: { ...es, ...esSso },
  fr: { ...fr, ...frSso },
  ja: { ...ja, ...jaSso },
}
const all = Object.entries({ en, ...translated })
const translations = Object.entries(translated)

/** Words that are the same in both languages. */
const sameWords: Partial<Record<string, TextKey[]>> = {
  de: ['preferredName', 'optional', 'tenants', 'tenantProfile', 'passkey', 'admin'],
}
const scripts = { ar: /\p{Script=Arabic}/u, ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u }

const entriesOf = (texts: Texts) => Object.entries(texts) as [TextKey, Text][]
const formsOf = (text: Text): Record<string, string> => (typeof text === 'string' ? { other: text } : text)
/** Returns the forms of all texts as `key.category` and the form. */
const allForms = (texts: Texts) =>
  entriesOf(texts).flatMap(([key, text]) =>
    Object.entries(formsOf(text)).map(([category, form]) => ({ key, category, form })),
  )
const placeholdersOf = (form: string) => (form.match(/\{\w*\}/g) ?? []).sort()

const numbers = [...Array(300).keys(), 1000, 1_000_000, 2_000_000]
/** Returns whether a category has one number only, which the text can spell out. */
const isOneNumber = (language: string, category: string) => {
  const rules = new Intl.PluralRules(language)
  return numbers.filter((number) => rules.select(number) === category).length === 1
}

describe.each(all)('the texts of the elements in %s', (language, texts) => {
  it('has the placeholders of English in every text', () => {
    for (const { key, category, form } of allForms(texts)) {
      const expected = placeholdersOf(formsOf(en[key] ?? '').other ?? '')
      const isSpelled = typeof texts[key] !== 'string' && isOneNumber(language, category)
      const allowed = isSpelled ? [expected, expected.filter((name) => name !== '{count}')] : [expected]
      expect(allowed, `${key}.${category}`).toContainEqual(placeholdersOf(form))
    }
  })

  it('has every plural category of the language in each text that has plurals', () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
    for (const [key, text] of entriesOf(texts)) {
      if (typeof text === 'string') continue
      expect(en[key], key).toBeTypeOf('object')
      expect(Object.keys(text).sort(), key).toEqual([...pluralCategories].sort())
    }
  })

  it('has no text that is empty, or begins or ends with a space', () => {
    const wrong = allForms(texts).filter(({ form }) => form === '' || form !== form.trim())
    expect(wrong).toEqual([])
  })
})

describe.each(translations)('the translation of the elements into %s', (language, texts) => {
  it('translates every text except words that are the same in both languages', () => {
    const same = entriesOf(texts).filter(([key, text]) => {
      const english = Object.values(formsOf(en[key] ?? ''))
      return Object.values(formsOf(text)).some((form) => english.includes(form))
    })
    expect(same.map(([key]) => key)).toEqual(sameWords[language] ?? [])
  })

  it('ends with a full stop or question mark only where English does', () => {
    const isSentence = (form = '') => /[.?。؟？]$/.test(form)
    const wrong = allForms(texts).filter(
      ({ key, form }) => isSentence(form) !== isSentence(formsOf(en[key] ?? '').other),
    )
    expect(wrong).toEqual([])
  })

  it('has at most 4,096 bytes, minified and gzipped', async () => {
    const { outputFiles } = await build({
      entryPoints: [`sdk/ui/texts/${language}.ts`],
      bundle: true,
      minify: true,
      format: 'esm',
      charset: 'utf8',
      write: false,
    })
    const bytes = gzipSync(outputFiles[0]?.contents ?? '').length
    expect(bytes).toBeGreaterThan(2048)
    expect(bytes).toBeLessThanOrEqual(4096)
  })
})

it.each(Object.entries(scripts))('writes every text in the script of %s', (language, script) => {
  const texts = translated[language] as Texts
  expect(allForms(texts).filter(({ form }) => !script.test(form))).toEqual([])
})

it('compiles the English texts of the sign-in, and no others, into the main entry', async () => {
  const { outputFiles } = await build({
    entryPoints: ['sdk/ui/index.ts'],
    bundle: true,
    external: ['uqr'],
    format: 'esm',
    write: false,
  })
  const code = outputFiles[0]?.text ?? ''
  const forms = Object.values(signIn).flatMap((text) => Object.values(formsOf(text)))
  const missing = forms.filter((form) => !code.includes(form))
  expect(missing).toEqual([])
  for (const texts of [en, ...translations.map(([, each]) => each)])
    for (const key of ['tenantDeletionHint', 'ssoDead'] as const) expect(code).not.toContain(texts[key])
})
