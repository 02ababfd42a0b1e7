import { mkdir, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { domainToASCII } from 'node:url'
import type { Log } from '../../telemetry/audit.js'
import { withTimeLimit } from '../time-limit.js'

export interface MailSettings {
  /** Undefined to write mails to files. */
  smtpUrl: string | undefined
  /** The sender of databases that have no other. The name may be empty. */
  from: { name: string; address: string }
  /** Folder of templates that replace the default ones. */
  templates: string | undefined
  /** Folder for the files. */
  folder: string
}

export interface Mail {
  /** Part of the Message-ID, and so the same for each attempt. */
  id: string
  to: string
  /** The name may be empty. */
  from: { name: string; address: string }
  replyTo?: string
  /** A language tag (BCP 47). */
  locale: string
  subject: string
  text: string
  html: string
}

/** Sends a mail. @param stopped aborts it */
export type SendMail = (mail: Mail, stopped: AbortSignal) => Promise<void>

/** Time limit of a mail. Shorter than the claim of its message, after which another server sends it again. */
const timeLimitMilliseconds = 25_000
/** So that no template or address can make the server read a file or a URL. */
const safe = { disableFileAccess: true, disableUrlAccess: true }

/** Returns a function that sends mails by SMTP or, without SMTP, writes each to files and logs their name. */
export const createMailer = (
  { smtpUrl, folder }: Pick<MailSettings, 'smtpUrl' | 'folder'>,
  log: Log,
): SendMail => (smtpUrl ? sendBySmtp(smtpUrl) : writeToFiles(folder, log))

const sendBySmtp =
  (url: string): SendMail =>
  async ({ id, to, from, locale, ...content }, stopped) => {
    // Loaded when the first mail is sent, because most commands and many servers send none.
    const { createTransport } = await import('nodemailer')
    await withTimeLimit(timeLimitMilliseconds, stopped, (signal) =>
      createTransport({ url })
        .sendMail({
          from,
          to: { name: '', address: to },
          messageId: `<${id}@${domainOf(from.address)}>`,
          headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': locale },
          ...content,
          ...safe,
          signal,
        })
        .catch(hideAddress),
    )
  }

const writeToFiles =
  (folder: string, log: Log): SendMail =>
  async ({ id, to, from, replyTo, subject, text, html }) => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const file = resolve(folder, id)
    const sender = from.name ? `${from.name} <${from.address}>` : from.address
    const replies = replyTo ? `Reply-To: ${replyTo}\n` : ''
    const head = `From: ${sender}\n${replies}To: ${to}\nSubject: ${subject}\n\n`
    await writeFile(`${file}.html`, html, { mode: 0o600 })
    await writeFile(`${file}.txt`, head + text, { mode: 0o600 })
    log.info({ file: `${file}.txt` }, 'SMTP_URL is not set, so a mail was written to a file')
  }

/** Returns the domain in ASCII, as a Message-ID requires it (RFC 5322 §3.6.4). */
const domainOf = (address: string) => domainToASCII(address.replace(/^.*@/, '')) || 'localhost'

/** The text of an SMTP error may contain the recipient or a credential. */
function hideAddress(error: { originalCode?: string; code?: string; responseCode?: number }): never {
  const code = error.originalCode ?? error.code ?? 'error'
  throw new Error(['SMTP', code, error.responseCode].filter(Boolean).join(' '))
}
