import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { DatabasePath } from '../database-path.js'
import { canonicalEmail } from '../email.js'
import { failures } from '../failures.js'
import { failsWith } from '../field-errors.js'
import { text } from '../fields.js'
import { locale } from '../locale.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import { body, keyProblems, managementPath, NoQuery, strict, writeProblems } from './fields.js'

const c = initContract()

const wrong = (detail: string) => failsWith('invalid_type', detail)

const address = () =>
  text()
    .trim()
    .refine(
      (each) => canonicalEmail(each) !== undefined,
      failsWith('email_invalid', 'must be an email address'),
    )

const isHttps = (url: string) =>
  url.length <= 2_000 && URL.canParse(url) && new URL(url).protocol === 'https:' && !/["<>\s]/.test(url)

/** The settings of a database that decide how its mails look. Null: as the server's settings say. */
export const mailFields = {
  appName: text()
    .trim()
    .refine(
      (name) => name !== '' && name.length <= 64 && !/\p{C}/u.test(name),
      wrong('must have 1 to 64 characters, and no control characters'),
    )
    .nullable(),
  mailSender: address().nullable(),
  mailReplyTo: address().nullable(),
  mailLogoUrl: text().refine(isHttps, wrong('must be an https URL of at most 2000 characters')).nullable(),
  mailColor: text()
    .toLowerCase()
    .refine((color) => /^#[0-9a-f]{6}$/.test(color), wrong('must be a color such as #0b57d0'))
    .nullable(),
  mailLocale: locale().nullable(),
}

const descriptions: Record<keyof typeof mailFields, string> = {
  appName: 'Name of the app, which every mail shows and which is the name of its sender.',
  mailSender:
    'Address of the sender. A key can change it only within the domain that the operator has set with `usher database set`.',
  mailReplyTo: 'Address for replies.',
  mailLogoUrl: 'https URL of a logo, which is shown 40 pixels high in place of the name.',
  mailColor: 'Color of the buttons, as `#rrggbb`. Their text is black or white, whichever has more contrast.',
  mailLocale: 'Language of mails whose user and request have none, as a BCP 47 tag.',
}

const examples: Record<keyof typeof mailFields, string> = {
  appName: 'Acme',
  mailSender: 'accounts@acme.example',
  mailReplyTo: 'support@acme.example',
  mailLogoUrl: 'https://acme.example/logo.png',
  mailColor: '#0b57d0',
  mailLocale: 'en',
}

/** Longest texts, as the document says them. */
const maxLengths: Record<keyof typeof mailFields, number> = {
  appName: 64,
  mailSender: 254,
  mailReplyTo: 254,
  mailLogoUrl: 2_000,
  mailColor: 7,
  mailLocale: 35,
}

type Fields = typeof mailFields
const names = Object.keys(mailFields) as (keyof Fields)[]

const changes = Object.fromEntries(
  names.map((name) => [
    name,
    field(`${descriptions[name]} Null removes it.`, mailFields[name].optional(), {
      examples: [examples[name]],
      maxLength: maxLengths[name],
    }),
  ]),
) as { [Name in keyof Fields]: z.ZodOptional<Fields[Name]> }

const shown = Object.fromEntries(
  names.map((name) => [
    name,
    field(`${descriptions[name]} Null: as the server’s settings say.`, z.string().nullable(), {
      examples: [examples[name]],
    }),
  ]),
) as Record<keyof Fields, z.ZodNullable<z.ZodString>>

const templateName = 'Name of the mail, such as `password_reset`.'
const templateLocale = 'Language of the template, as a BCP 47 tag.'
const templateHtml = 'Replaces the HTML that is made of the text. Null: none.'

/** A mail of a database in one language. */
export const MailTemplate = component(
  { id: 'MailTemplate', description: 'A mail of the database in one language.' },
  z.object({
    name: field(templateName, z.string(), { examples: ['password_reset'] }),
    locale: field(templateLocale, z.string(), { examples: ['de'] }),
    text: field('The subject and the paragraphs, with placeholders such as `{{link}}`.', z.string()),
    html: field(templateHtml, z.string().nullable()),
  }),
)
export type MailTemplate = z.infer<typeof MailTemplate>

/** How the mails of a database look. */
export const MailSettings = component(
  { id: 'MailSettings', description: 'How the mails of the database look.' },
  z.object({
    ...shown,
    mailTemplates: field('Templates that replace those of the server.', z.array(MailTemplate)),
  }),
)
export type MailSettings = z.infer<typeof MailSettings>

const MailTemplateChange = component(
  { id: 'MailTemplateChange', description: 'A template to set or to remove.' },
  strict({
    name: field(templateName, text(), { examples: ['password_reset'] }),
    locale: field(templateLocale, locale(), { examples: ['de'], maxLength: 35 }),
    text: field(
      'A line `Subject: …`, an empty line, and the paragraphs. Null removes the template.',
      text().nullable(),
      { maxLength: 8_192, examples: ['Subject: Passwort\n\n[Neues Passwort wählen]({{link}})'] },
    ),
    html: field(templateHtml, text().nullish(), { maxLength: 32_768 }),
  }),
)

/** Body of `changeMailSettings`. */
export const ChangeMailSettingsBody = body(
  {
    id: 'ChangeMailSettingsBody',
    description: 'The settings to change. An absent one does not change.',
    example: { appName: 'Acme', mailColor: '#0b57d0' },
  },
  {
    ...changes,
    mailTemplates: field(
      'Templates to set or to remove. Others do not change.',
      z
        .array(MailTemplateChange, wrong('must be a list'))
        .max(100, failsWith('too_long', 'must have at most 100 templates'))
        .optional(),
    ),
  },
)
export type ChangeMailSettingsBody = z.infer<typeof ChangeMailSettingsBody>

export const mailSettings = c.router({
  getMailSettings: {
    method: 'GET',
    path: `${managementPath}/mail-settings`,
    pathParams: DatabasePath,
    query: NoQuery,
    responses: { 200: MailSettings, ...failures(...keyProblems) },
    summary: 'Get how the mails look',
    description: 'Returns the settings of the mails and the templates that the database has.',
    metadata: { who: { key: 'mails:read', operator: 'member', in: 'workspace' } },
  },
  changeMailSettings: {
    method: 'PATCH',
    path: `${managementPath}/mail-settings`,
    pathParams: DatabasePath,
    query: NoQuery,
    body: ChangeMailSettingsBody,
    responses: { 200: MailSettings, ...failures(...writeProblems) },
    summary: 'Change how the mails look',
    description:
      'Changes the given settings, for all mails that are sent from now on. Also needs `credentials:write` for `mailSender` and `mailTemplates`, because a template can send the code of a mail elsewhere.',
    metadata: { who: { key: 'mails:write' }, isRepeatable: true },
  },
} satisfies DescribedRoutes)
