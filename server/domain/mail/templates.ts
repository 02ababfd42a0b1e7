import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CodePurpose } from '../codes/code.js'
import { defaultTemplates } from './default-templates.js'

/** A template of the operator is invalid. */
export class TemplateError extends Error {}

/** Values of the placeholders `{{link}}`, `{{email}}` and `{{name}}` of templates. */
export interface MailFields {
  link: string
  email: string
  /** The preferred name, or the address of a user without one. */
  name: string
}

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
  const [unknown] = placeholdersOf(text).filter((each) => !['link', 'email', 'name'].includes(each))
  if (unknown !== undefined) throw new TemplateError(`${file} has an unknown placeholder: {{${unknown}}}`)
  if (!placeholdersOf(text).includes('link')) throw new TemplateError(`${file} must contain {{link}}`)
  if (name.endsWith('.txt') && !subjectLine.test(text))
    throw new TemplateError(`${file} must begin with a line "Subject: …" and an empty line`)
  return text
}

const placeholder = /\{\{(.*?)\}\}/g
const placeholdersOf = (text: string) => [...text.matchAll(placeholder)].map(([, name]) => name ?? '')

/** Returns subject and bodies of a mail. */
export function renderMail(templates: Templates, purpose: CodePurpose, fields: MailFields) {
  const fill = (text: string, shown: (value: string) => string) =>
    text.replace(placeholder, (_, name: keyof MailFields) => shown(fields[name]))
  const template = templates[`${purpose}.txt`]
  const [head = '', subject = ''] = template.match(subjectLine) ?? []
  return {
    subject: fill(subject, withoutControls),
    text: fill(template.slice(head.length), withoutControls),
    html: fill(templates[`${purpose}.html`], (value) => escapeHtml(withoutControls(value))),
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
