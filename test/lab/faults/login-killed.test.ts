import { expect, it, onTestFinished } from 'vitest'
import { createDatabase } from '../../../server/domain/management/databases.js'
import { createWorkspace } from '../../../server/domain/management/workspaces.js'
import { migrate } from '../../../server/store/migrate.js'
import { notices } from '../../support/codes.js'
import { newVerifier } from '../../support/login-mail.js'
import { codeIn, type ReceivedMail, startSmtp } from '../../support/smtp.js'
import { createPostgresDatabase } from '../../support/store.js'
import { times } from '../form.js'
import { path } from './deliveries.js'
import { startServer } from './server.js'
import { onPostgres } from './stage.js'

const timeLimit = times(180_000, 1_800_000)

it(
  'another server finishes a login by mail when Usher is killed before or while it finishes it',
  async () => {
    const { url, drop } = await createPostgresDatabase('template0')
    onTestFinished(drop)
    const place = onPostgres(url)
    const store = await place.open()
    onTestFinished(store.close)
    await migrate(store)
    await createWorkspace(store, path.workspaceSlug, new Date())
    const settings = { appUrl: 'https://app.example.com', loginMail: 'both', ...notices(false) } as const
    await createDatabase({ store, now: new Date() }, path, settings)
    const smtp = await startSmtp()
    onTestFinished(smtp.close)
    const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'usher@example.com', TRUST_PROXY: '1' }
    const env = { ...place.env, ...mail, WORKERS: '1' }
    const [killed, other] = await Promise.all([startServer(env), startServer(env)])
    // Its mail has arrived, but it does not learn that.
    const arrives = () =>
      new Promise<ReceivedMail>((resolve) => {
        smtp.answer = (received) => {
          resolve(received)
          return new Promise(() => undefined)
        }
      })
    const rounds = times(2, 20)
    for (let round = 0; round < rounds; round++) {
      if (round > 0) await killed.restart()
      const { verifier, challenge } = newVerifier()
      const network = { 'x-forwarded-for': `198.51.100.${round}` }
      const arrival = arrives()
      const email = `user-${round}@example.com`
      const { login } = (await killed.post('/login/code', { email, challenge }, network)).body
      const { parsed } = await arrival
      const link = { code: codeIn({ parsed }), verifier }
      const lost = round % 2 === 1 ? killed.post('/login/finish', link, network) : undefined
      await killed.kill()
      const seen = await lost
      const digits = parsed.text?.match(/^\d{6}$/m)?.[0]
      for (const proof of [{ login, digits, verifier }, link]) {
        const { status, body } = await other.post('/login/finish', proof, network)
        expect([status, body.isNewUser]).toEqual([200, true])
        if (seen?.status === 200) expect(body.id).toBe(seen.body.id)
        expect((await other.me(body.token?.jwt ?? '')).status).toBe(200)
      }
      expect(await store.prisma.user.count()).toBe(round + 1)
    }
    // The code is used, so the mail that is left is not sent again.
    smtp.answer = async () => undefined
    await store.prisma.message.updateMany({ data: { dueAt: new Date(0) } })
    await store.prisma.messageStream.updateMany({ data: { dueAt: new Date(0) } })
    await expect.poll(() => store.prisma.message.count()).toBe(0)
    expect(smtp.mails.length).toBe(rounds)
    await other.stop()
  },
  timeLimit,
)
