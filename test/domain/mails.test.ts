import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import {
  deliverCode,
  deliverEmailChange,
  deliverEmailChangeUndo,
  deliverInvitation,
  harmlessName,
} from '../../server/domain/mail/deliver-mail.js'
import { loadTemplates } from '../../server/domain/mail/templates.js'

const createdAt = new Date('2026-03-01T12:00:00Z')
const row = {
  email: 'ada@example.com',
  canonicalEmail: 'ada@example.com',
  preferredName: null,
  emailVerifiedAt: null as Date | null,
  isTaken: false,
  expiresAt: createdAt,
  tenantName: null,
  inviterName: null,
}

const deliveries = {
  'a code': deliverCode,
  'an invitation': deliverInvitation,
  'a changed address': deliverEmailChange,
  'an undo': deliverEmailChangeUndo,
}

/** Delivers a mail of a database. Returns the subjects of sent mails. */
async function deliver(
  kind: keyof typeof deliveries,
  rows: object[],
  { appUrl = 'https://app.example.com' as string | null, type = 'password_reset', recipient = '' } = {},
) {
  const subjects: string[] = []
  // The user has no former address.
  const query = async (text: string) => (/reserved_for = |usher\.mail_/.test(text) ? [] : rows)
  const sender = {
    store: { query, transaction: (_: string, work: (run: typeof query) => unknown) => work(query) },
    now: () => createdAt.getTime(),
    findSecrets: async () => ({ sign: () => 'mac' }),
    mail: {
      templates: await loadTemplates(undefined),
      from: { name: 'Acme', address: 'accounts@acme.example' },
      sendMail: async ({ subject }: { subject: string }) => void subjects.push(subject),
    },
    stopped: new AbortController().signal,
  }
  const message = { databaseId: 'one', id: 'code', userId: 'ada', payload: { type }, recipient, createdAt }
  await deliveries[kind](sender as never, { appUrl }, message as never)
  return subjects
}

it.for([
  ['a code', 'Choose a new password'],
  ['an invitation', 'Invitation'],
  ['a changed address', 'Confirm your new email address'],
] as const)('the mail of %s is not sent if there is no row of it, or no app URL', async ([kind, subject]) => {
  expect(await deliver(kind, [row])).toEqual([subject])
  expect(await deliver(kind, [])).toEqual([])
  await expect(deliver(kind, [row], { appUrl: null })).rejects.toThrow('the database has no app URL')
  expect(await deliver(kind, [], { appUrl: null })).toEqual([])
})

it('the mail of an undo is not sent without a recipient, and has no code once the address is free', async () => {
  const undo = 'Your email address was changed'
  const recipient = 'ada@example.com'
  expect(await deliver('an undo', [row], { recipient })).toEqual([undo])
  expect(await deliver('an undo', [], { recipient })).toEqual([undo])
  expect(await deliver('an undo', [row])).toEqual([])
  expect(await deliver('an undo', [row], { appUrl: null })).toEqual([])
})

it('the mail of a verification is not sent to a verified address', async () => {
  const verified = [{ ...row, emailVerifiedAt: createdAt }]
  const type = 'email_verification'
  expect(await deliver('a code', [row], { type })).toEqual(['Verify your email address'])
  expect(await deliver('a code', verified, { type })).toEqual([])
  expect(await deliver('a code', verified, { type, appUrl: null })).toEqual([])
  expect(await deliver('a code', verified)).toEqual(['Choose a new password'])
})

it('a folder of templates must exist, and the link of an undo may be in a section', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'usher-templates-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await expect(loadTemplates(join(folder, 'missing'))).rejects.toThrow(
    'MAIL_TEMPLATES is not a folder that can be read (ENOENT)',
  )
  const text = 'Subject: Hello\n\n{{#link}}{{link}}{{/link}}{{email}}'
  await mkdir(join(folder, 'fi'))
  await writeFile(join(folder, 'fi/email_change_undo.txt'), text)
  const templates = await loadTemplates(folder)
  expect(templates.get('fi/email_change_undo')).toMatchObject({ text, html: null })
  expect(templates.get('de/invitation')?.text).toContain('Einladung')
})

it('no name is no harmless name', () => {
  expect(harmlessName(null)).toBeUndefined()
})
