import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultTemplates } from './default-templates.js'

/** A template of the operator is invalid. */
export class TemplateError extends Error {}

interface LinkFields {
  link: string
  email: string
}

/** Values of the placeholders of a mail to a user, such as `{{link}}`. */
interface CodeFields extends LinkFields {
  /** The preferred name, or the address of a user without one. */
  name: string
}

interface ResetFields extends CodeFields {
  /** Until when a former address can undo the last change. Undefined if none can. */
  until: string | undefined
}

/** Values of the placeholders of a mail to log in. By the setting of the database, it has a link, digits or both. */
interface LoginFields {
  email: string
  link: string | undefined
  digits: string | undefined
}

/** Values of the placeholders of an invitation. What is undefined is left out, with its section. */
interface InvitationFields extends LinkFields {
  tenant: string | undefined
  inviter: string | undefined
  /** When the invitation expires. */
  expires: string
}

/** Values of the placeholders of a mail without a code. */
interface NoticeFields {
  email: string
  /** When it happened. */
  time: string
  /** URL of the app. */
  app: string | undefined
}

/** The values of each mail by its name. */
export interface MailFields {
  password_reset: ResetFields
  email_verification: CodeFields
  login_code: LoginFields
  invitation: InvitationFields
  /** To the new address: its owner need not be the user, so it contains nothing that the user has chosen. */
  email_change: LinkFields
  email_taken: Pick<LinkFields, 'email'>
  /** To the former address. Without link if the change cannot be undone. */
  email_change_undo: Pick<LinkFields, 'email'> & { link: string | undefined }
  /** Sends the code of a password reset after an undo, which has removed the password. */
  email_change_undone: CodeFields
  email_change_requested: NoticeFields
  email_changed: NoticeFields
  password_changed: NoticeFields
  new_network: NoticeFields
  session_reused: NoticeFields
  account_deleted: NoticeFields
}

const noticeFields = ['email', 'time', 'app'] as const

/** Placeholders of each mail. */
const placeholders: { [Mail in keyof MailFields]: readonly (keyof MailFields[Mail])[] } = {
  password_reset: ['link', 'email', 'name', 'until'],
  email_verification: ['link', 'email', 'name'],
  login_code: ['link', 'digits', 'email'],
  invitation: ['link', 'email', 'tenant', 'inviter', 'expires'],
  email_change: ['link', 'email'],
  email_taken: ['email'],
  email_change_undo: ['link', 'email'],
  email_change_undone: ['link', 'email', 'name'],
  email_change_requested: noticeFields,
  email_changed: noticeFields,
  password_changed: noticeFields,
  new_network: noticeFields,
  session_reused: noticeFields,
  account_deleted: noticeFields,
}

/** The mails whose link may be left out, with its section. */
const mailsWithOptionalLink: readonly string[] = ['email_change_undo', 'login_code']

type FileName = keyof typeof defaultTemplates
export type Templates = Record<FileName, string>

const subjectLine = /^Subject: (.+)\r?\n\r?\n/

/**
 * Reads the templates in a folder. Mails without a template there have the default one.
 *
 * @throws {TemplateError} if the folder or a file cannot be read, a mail has only one of its two files, or a template
 * lacks its link or its subject or has an unknown placeholder
 */
export async function loadTemplates(folder: string | undefined): Promise<Templates> {
  const templates = { ...defaultTemplates }
  if (folder === undefined) return templates
  const files = await readdir(folder).catch(({ code }) => {
    throw new TemplateError(`MAIL_TEMPLATES is not a folder that can be read (${code}): ${folder}`)
  })
  for (const name of Object.keys(templates) as FileName[]) {
    const other = name.endsWith('.txt') ? name.replace('.txt', '.html') : name.replace('.html', '.txt')
    if (files.includes(name)) templates[name] = checked(name, await readTemplate(join(folder, name)))
    else if (files.includes(other)) throw new TemplateError(`MAIL_TEMPLATES has ${other}, but no ${name}`)
  }
  return templates
}

async function readTemplate(file: string) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new TemplateError(`MAIL_TEMPLATES has a file that cannot be read as UTF-8 (${code}): ${file}`)
  }
}

function checked(name: FileName, text: string) {
  const file = `${name} in MAIL_TEMPLATES`
  const mail = name.replace(/\..*/, '') as keyof MailFields
  const known: readonly string[] = placeholders[mail]
  const found = placeholdersOf(text.replace(section, '{{$1}}$2'))
  const [unknown] = found.filter((each) => !known.includes(each))
  if (unknown !== undefined) throw new TemplateError(`${file} has an unknown placeholder: {{${unknown}}}`)
  const shown = mailsWithOptionalLink.includes(mail) ? text : text.replace(section, '')
  if (known.includes('link') && !placeholdersOf(shown).includes('link'))
    throw new TemplateError(`${file} must contain {{link}}`)
  if (name.endsWith('.txt') && !subjectLine.test(text))
    throw new TemplateError(`${file} must begin with a line "Subject: …" and an empty line`)
  return text
}

const placeholder = /\{\{(.*?)\}\}/g
const placeholdersOf = (text: string) => [...text.matchAll(placeholder)].map(([, name]) => name ?? '')

/** Text between `{{#name}}` and `{{/name}}`, which is left out if the value of the name is. */
const section = /\{\{#(\w+)\}\}(.*?)\{\{\/\1\}\}/gs

/** Returns subject and bodies of a mail. */
export function renderMail<Mail extends keyof MailFields>(
  templates: Templates,
  mail: Mail,
  fields: MailFields[Mail],
) {
  const values = new Map<string, string | undefined>(Object.entries(fields))
  const fill = (text: string, shown: (value: string) => string) =>
    text
      .replace(section, (_, name: string, content: string) => (values.get(name) ? content : ''))
      .replace(placeholder, (_, name: string) => shown(values.get(name) ?? ''))
  const template = templates[`${mail}.txt`]
  const [head = '', subject = ''] = template.match(subjectLine) ?? []
  return {
    subject: fill(subject, withoutControls),
    text: fill(template.slice(head.length), withoutControls),
    html: fill(templates[`${mail}.html`], (value) => escapeHtml(withoutControls(value))),
  }
}

/** Removes line breaks, which would begin a new header in the subject and a new paragraph in the text. */
const withoutControls = (value: string) => value.replace(/\p{C}/gu, ' ')

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (value: string) => value.replace(/[&<>"']/g, (character) => entities[character] ?? '')
