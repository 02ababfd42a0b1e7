import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { canonicalLocale } from '@usher/contract'
import { namesIn, placeholders, replaceSections } from './placeholders.js'

export const mailNames = [
  'password_reset',
  'email_verification',
  'login_code',
  'invitation',
  'email_change',
  'email_taken',
  'email_change_undo',
  'email_change_undone',
  'email_change_requested',
  'email_changed',
  'password_changed',
  'new_network',
  'session_reused',
  'factor_added',
  'factor_removed',
  'recovery_codes_created',
  'second_step_failed',
  'identity_linked',
  'identity_removed',
  'account_deleted',
  'sso_changed',
  'sso_domain_missing',
] as const
export type MailName = (typeof mailNames)[number]

/** A template that a server or a database brings is invalid. */
export class TemplateError extends Error {}

/** A mail in one language. */
export interface Template {
  name: MailName
  /** A language tag (BCP 47). */
  locale: string
  /**
   * A line with the subject, and paragraphs. A paragraph `[label]({{link}})` is a button in HTML. Text between `{{#name}}` and
   * `{{/name}}` is left out if the value is missing, and so is a button.
   */
  text: string
  /** Replaces the HTML that is made of the paragraphs. */
  html: string | null
}

/** Templates by locale and name. */
export type Templates = ReadonlyMap<string, Template>
export const keyOf = ({ locale, name }: Pick<Template, 'locale' | 'name'>) => `${locale}/${name}`

/** Languages of the default templates. */
export const defaultLocales = ['en', 'de', 'es', 'fr', 'pt', 'ja', 'ar']

/** The default templates. A file of texts/ has all mails in one language, each after a line with its name. */
export const defaultTemplates: Templates = new Map(
  defaultLocales.flatMap((locale) =>
    readFileSync(new URL(`./texts/${locale}.txt`, import.meta.url), 'utf8')
      .split(/^=== /m)
      .slice(1)
      .map((mail) => {
        const end = mail.indexOf('\n')
        const name = mail.slice(0, end) as MailName
        return [
          keyOf({ locale, name }),
          { name, locale, text: mail.slice(end + 1).trimEnd(), html: null },
        ] as const
      }),
  ),
)

/** Returns whether a mail has a link. */
export const hasLink = (name: MailName) =>
  defaultTemplates.get(keyOf({ locale: 'en', name }))?.text.includes('{{link}}') === true

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
  if (hasLink(name) && !namesIn(shown).includes('link')) yield 'must contain {{link}}'
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
