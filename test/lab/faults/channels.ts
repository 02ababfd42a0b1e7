import { expect, type TestContext } from 'vitest'
import { notices } from '../../support/codes.js'
import { disableUser, sendReset, setDatabase } from '../../support/operator-changes.js'
import { startReceiver } from '../../support/receiver.js'
import { codeIn, type ReceivedMail, startSmtp } from '../../support/smtp.js'
import { accept, type Channel, path } from './deliveries.js'
import type { Server } from './server.js'

/** Records a message that has arrived. Returns whether it is accepted. */
async function receive(channel: Channel, id: string) {
  channel.received.push(id)
  const isAccepted = await channel.answer(id)
  if (isAccepted) channel.accepted.add(id)
  return isAccepted
}

/** Starts a receiver of webhooks. Users have four events: three of the sign-up, one of the command line. */
export async function startWebhookChannel({ onTestFinished }: TestContext): Promise<Channel> {
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  let requests = 0
  const users = new Set<string>()
  const channel: Channel = {
    title: 'webhook',
    env: { PRIVATE_WEBHOOKS: '*' },
    async prepare(store) {
      await setDatabase(store, path, { webhookUrl: receiver.url })
    },
    async request({ signUp }) {
      requests += 1
      const { status } = await signUp({ email: `user-${requests}@example.com`, newTenant: 'Engines' })
      return status === 201
    },
    statement: 'INSERT INTO usher."user"',
    storesAlone: true,
    async operate(store) {
      const { id } = await store.prisma.user.findFirstOrThrow({ orderBy: { id: 'desc' } })
      users.add(id)
      await disableUser({ store, now: new Date() }, path, id)
    },
    answer: accept,
    received: [],
    accepted: new Set(),
    /** Checks that the events of every stored user arrived, in order, and none of others. */
    async audit() {
      const typesOf = new Map([...users].map((id) => [id, new Set<string>()]))
      for (const { event } of receiver.requests) {
        const types = typesOf.get(event.data.userId ?? '')
        expect(types, 'event of a user that does not exist').toBeDefined()
        types?.add(event.type)
      }
      const expected = ['user.created', 'tenant.created', 'tenant.user_added', 'user.disabled']
      for (const types of typesOf.values()) expect([...types]).toEqual(expected)
      return users.size
    },
  }
  receiver.answer = async (response, { headers }) =>
    response.writeHead((await receive(channel, headers['webhook-id'] ?? '')) ? 204 : 500).end()
  return channel
}

/**
 * Starts an SMTP server. Users request a new password or the verification of their address in turn. The command line
 * sends each another reset.
 */
export async function startMailChannel({ onTestFinished }: TestContext): Promise<Channel> {
  const smtp = await startSmtp()
  onTestFinished(smtp.close)
  let requests = 0
  const emailOf = (request: number) => `user-${request}@example.com`
  const requestsReset = () => requests % 2 === 1
  const addresses = new Set<string>()
  const idOf = ({ parsed }: ReceivedMail) => parsed.messageId?.slice(1, 37) ?? ''

  /** Uses the codes that the last user got in links to a page, the newest one first. Returns the statuses. */
  async function useCodes(page: string, use: (code: string) => ReturnType<Server['post']>) {
    const mails = smtp.mails.filter((mail) => {
      const isToUser = mail.recipients.includes(emailOf(requests))
      return isToUser && channel.accepted.has(idOf(mail)) && mail.parsed.text?.includes(`/${page}#`)
    })
    const codes = [...new Set(mails.map(codeIn))].sort().reverse()
    const statuses: number[] = []
    for (const code of codes) statuses.push((await use(code)).status)
    return statuses
  }

  const channel: Channel = {
    title: 'mail',
    env: { SMTP_URL: smtp.url, MAIL_FROM: 'usher@example.com', TRUST_PROXY: '1' },
    // A notice that waits when the server stops is not what the audit counts.
    prepare: (store) => setDatabase(store, path, { appUrl: 'https://app.example.com', ...notices(false) }),
    async request({ signUp, post }) {
      requests += 1
      const email = emailOf(requests)
      const { body } = await signUp({ email })
      // A network may cause one mail a minute.
      const network = { 'x-forwarded-for': `198.51.${requests >> 8}.${requests & 255}` }
      const { status } = requestsReset()
        ? await post('/password-reset', { email }, network)
        : await post('/me/email-verification', {}, { ...network, authorization: `Bearer ${body.token?.jwt}` })
      return status === 202
    },
    statement: 'INSERT INTO usher.outbox',
    storesAlone: false,
    operate(store) {
      addresses.add(emailOf(requests))
      return sendReset({ store, now: new Date() }, path, emailOf(requests))
    },
    answer: accept,
    received: [],
    accepted: new Set(),
    /**
     * Checks that the last user got a mail of each requested type if the requests were stored, that only the newest code
     * of a type works, and that no other user got a mail.
     */
    async audit({ post }) {
      for (const { recipients } of smtp.mails) expect(addresses).toContain(recipients.join())
      if (!addresses.has(emailOf(requests))) return addresses.size
      const verified = await useCodes('verify-email', (code) => post('/email-verification', { code }))
      expect(verified).toEqual(requestsReset() ? [] : [200])
      const [newest, ...older] = await useCodes('reset-password', (code) =>
        post('/password-reset/confirm', { code, newPassword: 'another battery staple' }),
      )
      expect(newest).toBe(200)
      expect([[], ...(requestsReset() ? [[400]] : [])]).toContainEqual(older)
      return addresses.size
    },
  }
  smtp.answer = async (mail) => {
    if (!(await receive(channel, idOf(mail)))) throw new Error('not now')
  }
  return channel
}
