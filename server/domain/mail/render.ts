import { fallbacksOf, shownDuration, shownTime } from './languages.js'
import { type Block, escapeHtml, type Look, layOut } from './layout.js'
import { type Placeholder, replacePlaceholders, replaceSections } from './placeholders.js'
import { keyOf, type MailName, subjectLine, type Template, type Templates } from './templates.js'

/** The values of the placeholders of a mail. What is undefined is left out, with its section or button. */
export interface MailFields {
  email: string
  /** The preferred name, or else the address. Undefined in a mail to somebody who need not be the user. */
  name?: string | undefined
  link?: string | undefined
  digits?: string | undefined
  /** For how long the link or the digits are valid, in milliseconds. */
  validFor?: number
  /** Until when a former address can undo the last change. */
  until?: Date | undefined
  tenant?: string | undefined
  inviter?: string | undefined
  /** What an operator calls the provider of an identity. */
  provider?: string | undefined
  /** A mail domain of a tenant. */
  domain?: string | undefined
  /** When the invitation expires. */
  expires?: Date
  /** When it happened. */
  time?: Date
}

/** What a mail is rendered with, besides its fields. */
export interface MailStyle extends Look {
  appUrl: string | null
  /** Templates of the database, by locale and name. */
  own: Templates
  /** Templates of the server. */
  templates: Templates
  /** Languages, the most wanted first. */
  languages: readonly string[]
}

/** Returns subject and bodies of a mail. The text and the HTML have the same content. It is in the first language that has a template of it, or else in English. */
export function renderMail(name: MailName, fields: MailFields, style: MailStyle) {
  const { template, locale } = chooseTemplate(name, style)
  const values = valuesOf(fields, style, locale)
  const fill = (text: string, shown: (value: string, name: Placeholder) => string) =>
    replacePlaceholders(text, (each) => shown(values[each as Placeholder] ?? '', each as Placeholder))
  const withoutMissing = (text: string) =>
    replaceSections(text, (each, content) => (values[each] ? content : ''))
  const content = withoutMissing(template.text)
  const [head = '', subject = ''] = content.match(subjectLine) ?? []
  const paragraphs = content
    .slice(head.length)
    .split(/\r?\n[ \t]*\r?\n/)
    .map((each) => each.trim())
    .filter((each) => each !== '')
  const texts: string[] = []
  const blocks: Block[] = []
  for (const paragraph of paragraphs) {
    const [, label, target] = button.exec(paragraph) ?? []
    if (label === undefined) {
      texts.push(fill(paragraph, same))
      blocks.push({ html: fill(escapeHtml(paragraph).replace(/\r?\n/g, '<br>'), isolated) })
      continue
    }
    const url = values[target as Placeholder]
    if (!url) continue
    texts.push(`${fill(label, same)}:\n${url}`)
    blocks.push({ label: fill(escapeHtml(label), escapeHtml), url })
  }
  const filled = fill(subject, same)
  return {
    locale: template.locale,
    subject: filled,
    text: `${texts.join('\n\n')}\n`,
    html:
      template.html === null
        ? layOut(blocks, { subject: filled, locale: template.locale }, style)
        : fill(withoutMissing(template.html), escapeHtml),
  }
}

const button = /^\[([^\]\n]+)\]\(\{\{(link|appUrl)\}\}\)$/
const same = (value: string) => value

/** Isolates a value, whose direction may differ from that of the language. */
const isolated = (value: string, name: Placeholder) => {
  const shown = `<bdi>${escapeHtml(value)}</bdi>`
  return ['link', 'appUrl'].includes(name) ? `<a href="${escapeHtml(value)}">${shown}</a>` : shown
}

/** Returns the template of a mail, and the language for its dates. */
function chooseTemplate(
  name: MailName,
  { own, templates, languages }: Pick<MailStyle, 'own' | 'templates' | 'languages'>,
): { template: Template; locale: string } {
  for (const locale of [...languages, 'en'])
    for (const tag of fallbacksOf(locale)) {
      const key = keyOf({ locale: tag, name })
      const template = own.get(key) ?? templates.get(key)
      if (template) return { template, locale }
    }
  throw new Error(`there is no template of ${name} in English`)
}

function valuesOf(
  { validFor, until, expires, time, ...texts }: MailFields,
  { app, appUrl }: Pick<MailStyle, 'app' | 'appUrl'>,
  locale: string,
): Partial<Record<Placeholder, string | undefined>> {
  const shown = (instant: Date | undefined) => instant && shownTime(instant, locale)
  return {
    ...Object.fromEntries(
      Object.entries({ ...texts, app }).map(([name, value]) => [name, value && plain(value)]),
    ),
    appUrl: appUrl ?? undefined,
    validFor: validFor === undefined ? undefined : shownDuration(validFor, locale),
    until: shown(until),
    expires: shown(expires),
    time: shown(time),
  }
}

/** Removes line breaks, which would begin a new header in the subject and a new paragraph in the text. */
const plain = (value: string) => value.replace(/\p{C}/gu, ' ')
