import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'

/** A mail as its recipient sees it. */
export interface ReceivedMail {
  /** Recipients of the envelope. */
  recipients: string[]
  /** Header lines and bodies as sent. */
  source: string
  parsed: Email
}

/** Starts an SMTP server that keeps mails. It refuses their recipients while `refusal` is set. */
export async function startSmtp() {
  const smtp = {
    mails: [] as ReceivedMail[],
    /** Ids of messages whose mails are accepted, but not kept. */
    ignored: new Set<string>(),
    refusal: undefined as Error | undefined,
    attempts: 0,
    url: '',
    /** Runs before a mail is accepted. The mail is refused if it throws. */
    answer: (async () => undefined) as (mail: ReceivedMail) => Promise<void>,
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onRcptTo: (_address, _session, done) => {
      smtp.attempts += 1
      done(smtp.refusal)
    },
    onData: (stream, session, done) => {
      const receive = async () => {
        // Fails if the sender is killed before the end.
        const source = await buffer(stream)
        const recipients = session.envelope.rcptTo.map(({ address }) => address)
        const mail = { recipients, source: source.toString(), parsed: await PostalMime.parse(source) }
        const messageId = mail.parsed.messageId?.match(/^<(.+)@/)?.[1] ?? ''
        if (smtp.ignored.has(messageId)) return
        smtp.mails.push(mail)
        await smtp.answer(mail)
      }
      receive().then(() => done(), done)
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  smtp.url = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
  return Object.assign(smtp, { close: () => new Promise<void>((resolve) => server.close(() => resolve())) })
}

export type Smtp = Awaited<ReturnType<typeof startSmtp>>

/** Returns the code in the link of a mail. */
export const codeIn = ({ parsed }: { parsed: Pick<Email, 'text'> }) =>
  parsed.text?.match(/#code=(\S+)/)?.[1] ?? ''
