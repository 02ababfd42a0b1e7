import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalLocale } from '@usher/contract'
import { namesIn, placeholders, replaceSections } from './placeholders.js'
import { ar } from './texts/ar.js'
import { de } from './texts/de.js'
import { en, type MailName, type MailTexts } from './texts/en.js'
import { es } from './texts/es.js'
import { fr } from './texts/fr.js'
import { ja } from './texts/ja.js'
import { pt } from './texts/pt.js'

/** A template that a server or a database brings is invalid. */
export class TemplateError extends Error {}

/** A mail in one language. */
export interface Template {
  name: MailName
  /** A language tag (BCP 47). */
  locale: string
  /** The subject and the paragraphs, as in texts/en.ts. */
  text: string
  /** Replaces the HTML that is made of the paragraphs. */
  html: string | null
}

export const mailNames = Object.keys(en) as MailName[]
export const defaultTexts: Record<string, MailTexts> = { en, de, es, fr, pt, ja, ar }

/** Templates by locale and name. */
export type Templates = ReadonlyMap<string, Template>
export const keyOf = ({ locale, name }: Pick<Template, 'locale' | 'name'>) => `${locale}/${name}`

export const defaultTemplates: Templates = new Map(
  Object.entries(defaultTexts).flatMap(([locale, texts]) =>
    mailNames.map((name) => [keyOf({ locale, name }), { name, locale, text: texts[name], html: null }]),
  ),
)

/** Bytes of a template. */
export const maxTemplateBytes = { text: 8 * 1024, html: 32 * 1024 }

/** The mails whose link may be left out, with its section. */
const mailsWithOptionalLink: readonly MailName[] = ['email_change_undo', 'login_code']

export const subjectLine = /^Subject: (.+)\r?\n\r?\n/

/** Yields what is wrong with a part of a template. Each message follows the name of the part. */
export function* errorsOf(name: MailName, part: 'text' | 'html', content: string): Generator<string> {
  const bytes = maxTemplateBytes[part]
  if (Buffer.byteLength(content) > bytes) return yield `must have at most ${bytes} bytes`
  const known: readonly string[] = placeholders
  for (const each of new Set(namesIn(replaceSections(content, (_name, within) => within))))
    if (!known.includes(each)) yield `has an unknown placeholder: {{${each}}}`
  const shown = mailsWithOptionalLink.includes(name) ? content : replaceSections(content, () => '')
  if (en[name].includes('{{link}}') && !namesIn(shown).includes('link')) yield 'must contain {{link}}'
  if (part === 'text' && !subjectLine.test(content))
    yield 'must begin with a line "Subject: …" and an empty line'
  if (content.includes('\0')) yield 'must not contain NUL'
}

/**
 * Reads the templates in a folder: `LOCALE/NAME.txt`, and `LOCALE/NAME.html` if the HTML is not made of the text.
 *
 * @param source name of the setting with the folder
 * @throws {TemplateError} if the folder or a file cannot be read, or is not a template
 */
export async function readTemplates(folder: string, source: string): Promise<Template[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(({ code }) => {
    throw new TemplateError(`${source} is not a folder that can be read (${code}): ${folder}`)
  })
  const templates = new Map<string, Template>()
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ parentPath, name }) =>
      join(parentPath, name).slice(join(folder, '/').length).replaceAll('\\', '/'),
    )
  // A text comes before its HTML.
  for (const file of files.sort().reverse()) {
    const fail = (message: string) => new TemplateError(`${source}: ${file} ${message}`)
    const [, tag = '', given = '', extension] = /^([\w-]+)\/(\w+)\.(txt|html)$/.exec(file) ?? []
    const locale = canonicalLocale(tag)
    const name = mailNames.find((each) => each === given)
    if (!locale || !name)
      throw fail('is not LOCALE/MAIL.txt or LOCALE/MAIL.html, such as de/password_reset.txt')
    const part = extension === 'txt' ? 'text' : 'html'
    const content = await readText(join(folder, file), fail)
    for (const error of errorsOf(name, part, content)) throw fail(error)
    const key = keyOf({ locale, name })
    const template = templates.get(key)
    if (template) template.html = content
    else if (part === 'html') throw fail(`needs ${file.replace('.html', '.txt')}, which is sent with it`)
    else templates.set(key, { name, locale, text: content, html: null })
  }
  return [...templates.values()]
}

async function readText(file: string, fail: (message: string) => TemplateError) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } catch (error) {
    throw fail(`cannot be read as UTF-8 (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Returns the templates of a server: those in its folder, and the default ones. @throws {TemplateError} */
export async function loadTemplates(folder: string | undefined): Promise<Templates> {
  if (folder === undefined) return defaultTemplates
  const own = await readTemplates(folder, 'MAIL_TEMPLATES')
  return new Map([...defaultTemplates, ...own.map((each) => [keyOf(each), each] as const)])
}
