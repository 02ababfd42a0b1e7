import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from '../failures.js'
import { locale } from '../locale.js'
import { strict } from '../management/fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import { DatabasePath, operatorDatabasePath, operatorProblems } from './fields.js'

/** A mail with made-up values. */
const MailPreview = component(
  { id: 'MailPreview', description: 'A mail with made-up values.' },
  z.object({
    name: field('Name of the mail.', z.string(), { examples: ['password_reset'] }),
    from: field('The sender.', z.object({ name: z.string(), address: z.string() })),
    replyTo: field('Address for replies, or null.', z.string().nullable()),
    subject: field('The subject.', z.string()),
    text: field('The text.', z.string()),
    html: field('The text as HTML.', z.string()),
  }),
)

export const MailPreviewList = component(
  { id: 'MailPreviewList', description: 'The mails of a database.' },
  z.object({ mails: field('The mails.', z.array(MailPreview)) }),
)
export type MailPreviewList = z.infer<typeof MailPreviewList>

export const PreviewMailsQuery = strict({
  template: field('Only this mail.', z.string().max(100).optional(), { examples: ['password_reset'] }),
  locale: field('Language of the mails. By default that of the database.', locale().optional(), {
    examples: ['de'],
  }),
})
export type PreviewMailsQuery = z.infer<typeof PreviewMailsQuery>

export const mails = initContract().router({
  previewMails: {
    method: 'GET',
    path: `${operatorDatabasePath}/mails`,
    pathParams: DatabasePath,
    query: PreviewMailsQuery,
    responses: { 200: MailPreviewList, ...failures('app_url_missing', ...operatorProblems) },
    summary: 'Preview the mails of a database',
    description: 'Returns the mails with made-up values, and sends nothing.',
    metadata: { who: { operator: 'member', in: 'workspace' } },
  },
} satisfies DescribedRoutes)
