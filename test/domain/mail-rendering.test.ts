import { expect, it, vi } from 'vitest'
import { acceptedLanguages } from '../../server/domain/mail/languages.js'
import { textOn } from '../../server/domain/mail/layout.js'
import { replacePlaceholders, replaceSections } from '../../server/domain/mail/placeholders.js'
import { previewFields } from '../../server/domain/mail/preview.js'
import { renderMail } from '../../server/domain/mail/render.js'
import { defaultLocales, defaultTemplates, errorsOf, mailNames } from '../../server/domain/mail/templates.js'

const now = Date.UTC(2026, 2, 8, 12)
const style = {
  app: 'Acme & Söhne',
  appUrl: 'https://app.example.com',
  logoUrl: null,
  color: '#0b57d0',
  own: new Map(),
  templates: defaultTemplates,
}
const render = (name: (typeof mailNames)[number], ...languages: string[]) =>
  renderMail(name, previewFields(name, { ...style, now }), { ...style, languages })

/** Returns the words of a mail in HTML, without those of its name and its links. */
const wordsOf = (html: string) =>
  html
    .replace(/.*<\/p>\n(?=<p)/s, (head) => head.slice(head.indexOf('</p>')))
    .replace(/<[^>]+>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .split(/\s+/)
    .filter((word) => word !== '')

const textOf = (language: string, name: (typeof mailNames)[number]) =>
  defaultTemplates.get(`${language}/${name}`)?.text ?? ''

it.for(defaultLocales)('every mail has all placeholders and sections in %s', (language) => {
  const marksOf = (text = '') => [...text.matchAll(/\{\{.*?\}\}/g)].map(String).sort()
  for (const name of mailNames) {
    const text = textOf(language, name)
    expect([...errorsOf(name, 'text', text)], name).toEqual([])
    const distinct = (marks: string[]) => [...new Set(marks)]
    expect(distinct(marksOf(text)), name).toEqual(distinct(marksOf(textOf('en', name))))
    expect(text.match(/^\[.+\]\(\{\{\w+\}\}\)$/gm) ?? [], name).toHaveLength(
      (textOf('en', name).match(/\]\(/g) ?? []).length,
    )
  }
})

it.for(defaultLocales)('a mail in %s says the same as text and as HTML', (language) => {
  for (const name of mailNames) {
    const { subject, text, html, locale } = render(name, language)
    expect(locale).toBe(language)
    expect(`${subject}${text}${html}`).not.toMatch(/\{\{|undefined|<table/)
    expect(html).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`)
    // A button has no colon, which follows its label in the text.
    expect(wordsOf(html).join(' ')).toContain(
      text
        .replace(/:\nhttps/g, '\nhttps')
        .split(/\s+/)
        .filter((word) => word !== '')
        .join(' '),
    )
  }
})

it('dates and durations follow the language, also its region', () => {
  expect(render('invitation', 'en').text).toContain('until March 15, 2026 at 12:00')
  expect(render('invitation', 'en-GB').text).toContain('until 15 March 2026 at 12:00')
  expect(render('email_change_undo', 'de-AT').text).toContain('Der Link ist 7 Tage gültig')
  expect(render('login_code', 'es').text).toContain('válido durante 10 minutos')
  expect(render('email_verification', 'ja').text).toContain('有効期間は24 時間です')
  expect(render('password_reset', 'fr').text).toMatch(/reste valable 1\sheure/)
})

it('the first language that has a text is used, or else English', () => {
  expect(render('password_reset', 'it', 'pt-BR', 'de').locale).toBe('pt')
  expect(render('password_reset', 'it').locale).toBe('en')
})

it.for([
  [undefined, []],
  ['*', []],
  ['de', ['de']],
  ['fr-ch, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', ['fr-CH', 'fr', 'en', 'de']],
  ['en;q=0.1, ja , es;q=0, no_tag, x;q=z', ['ja', 'en']],
  ['de,de-AT,en,fr,es,pt', ['de', 'de-AT', 'en', 'fr', 'es']],
  [`${'a'.repeat(600)},de`, []],
] as const)('the languages of the header %s are %j', ([header, expected]) => {
  expect(acceptedLanguages(header)).toEqual(expected)
})

/** Returns the contrast of two colors (WCAG 2.2, 1.4.3). */
function contrast(...colors: [string, string]) {
  const [light = 0, dark = 0] = colors
    .map((color) => {
      const [red = 0, green = 0, blue = 0] = [1, 3, 5]
        .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
        .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    })
    .sort((one, other) => other - one)
  return (light + 0.05) / (dark + 0.05)
}

it('the text of a button has a contrast of 4.5 to any color', () => {
  const channel = ['00', '33', '66', '77', '99', 'cc', 'ff']
  for (const red of channel)
    for (const green of channel)
      for (const blue of channel) {
        const color = `#${red}${green}${blue}`
        expect(contrast(color, textOn(color)), color).toBeGreaterThanOrEqual(4.5)
      }
})

it('all texts have a contrast of 4.5 to their ground, in light and dark mode', () => {
  const { html } = render('password_reset', 'en')
  const colorIn = (pattern: string) => html.match(new RegExp(`${pattern}(#[0-9a-f]{6})`))?.[1] ?? ''
  const light = [
    colorIn('class="card".*background-color:'),
    colorIn(';color:'),
    colorIn('"soft".*?[^-]color:'),
  ]
  const dark = ['card\\{background-', 'text\\{', 'soft\\{'].map((name) => colorIn(`${name}color:`))
  for (const [ground = '', ...texts] of [light, dark])
    for (const text of texts)
      expect(contrast(ground, text), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5)
})

it.for([
  '{{',
  '{{\n',
  '{{#app}}',
  '{{#app}}{{#name}}',
  '{{/app}}{{#app}}',
  '{{app}}',
  '{{app}}\n',
  '{{#app}}{{/app}}',
  '{{ {{/app}}',
])('a template that repeats %j is read in steps that are in proportion to its length', (repeated) => {
  const text = repeated.repeat(32_000 / repeated.length)
  const indexOf = vi.spyOn(String.prototype, 'indexOf')
  const slice = vi.spyOn(String.prototype, 'slice')
  replaceSections(text, (_name, within) => within)
  replacePlaceholders(text, (name) => name)
  const searched = indexOf.mock.calls.map(([, from = 0], call) => {
    const at = indexOf.mock.results[call]?.value as number
    return (at < 0 ? text.length : at) - from
  })
  const copied = slice.mock.results.map(({ value }) => (value as string).length)
  vi.restoreAllMocks()
  const steps = [...searched, ...copied].reduce((sum, each) => sum + each, 0)
  expect(steps).toBeLessThan(30 * text.length)
})

it.for([
  ['{{app}} {{ app}}', 'A ?'],
  ['{{ {{app}}', '?'],
  ['{{\n{{app}}', '{{\nA'],
  ['{{app\n}}', '{{app\n}}'],
  ['{{{app}}}', '?}'],
  ['{{#app}}x\ny{{/app}}{{#name}}z{{/name}}', 'x\ny'],
  ['{{#name}}{{#app}}x{{/name}}{{/app}}{{app}}', '?A'],
  ['{{#app}}x{{#app}}y', '?x?y'],
  ['{{', '{{'],
] as const)('fills %j as %j', ([text, filled]) => {
  const values: Record<string, string> = { app: 'A' }
  const shown = replaceSections(text, (name, content) => (values[name] ? content : ''))
  expect(replacePlaceholders(shown, (name) => values[name] ?? '?')).toBe(filled)
})
