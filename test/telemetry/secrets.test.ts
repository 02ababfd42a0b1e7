import { trace } from '@opentelemetry/api'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { expect, onTestFinished, vi } from 'vitest'
import { tracedStore } from '../../server/store/traced-store.js'
import { withOwnStore } from '../support/api.js'
import { withPrisma } from '../support/open-store.js'
import { startOperator } from '../support/operator.js'
import { startReceiver } from '../support/receiver.js'
import { codeIn, type ReceivedMail, startSmtp } from '../support/smtp.js'

const it = withOwnStore.extend('storeKind', { scope: 'worker' }, 'postgres')

it('no log, span, metric, export or listing contains a code, a refresh token or the secret of a webhook', async ({
  store,
}) => {
  const exporter = new InMemorySpanExporter()
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  provider.register()
  const [smtp, receiver] = [await startSmtp(), await startReceiver()]
  const settings = { SMTP_URL: smtp.url, MAIL_FROM: 'accounts@example.com', METRICS_PORT: '9464' }
  const usher = await startOperator(await withPrisma(tracedStore(store)), settings)
  onTestFinished(async () => {
    await usher.close()
    await Promise.all([smtp.close(), receiver.close(), provider.shutdown()])
    trace.disable()
  })
  const { users, path, ...database } = await usher.newDatabase()
  const app = '--app-url https://app.example.com'
  const { webhookSecret } = await usher.json(`database set ${path} ${app} --webhook-url ${receiver.url}`)
  usher.clock.now += 60_000
  const email = 'ada@example.com'
  const post = (target: string, payload: object) =>
    usher.send({ method: 'POST', url: `${users}/${target}`, payload })
  const use = (code: string) => post('password-reset/confirm', { code, newPassword: 'another battery' })
  const mailed = async (count: number) => {
    await vi.waitFor(() => expect(smtp.mails).toHaveLength(count), 10_000)
    return codeIn(smtp.mails.at(-1) as ReceivedMail)
  }

  const session = await database.opened({ email })
  await database.as(session.token.jwt, 'POST', 'me/email-verification')
  const verification = await mailed(1)
  await post('password-reset', { email })
  const reset = await mailed(2)
  // A request that is rejected for each reason, and one that fails within a statement.
  expect((await use(verification)).statusCode).toBe(400)
  expect((await post('email-verification', { code: reset })).statusCode).toBe(400)
  await store.prisma.$executeRaw`ALTER TABLE usher.code RENAME TO gone`
  expect((await use(reset)).statusCode).toBe(500)
  await store.prisma.$executeRaw`ALTER TABLE usher.gone RENAME TO code`
  const refreshed = await database.refresh(session.refreshToken.value)
  expect((await use(reset)).statusCode).toBe(200)
  expect((await post('email-verification', { code: verification })).statusCode).toBe(200)
  expect((await use(reset)).statusCode).toBe(400)

  const spans = exporter.getFinishedSpans()
  const texts = {
    log: usher.logged(),
    spans: JSON.stringify(
      spans.map(({ name, attributes, status, events }) => [name, attributes, status, events]),
    ),
    metrics: await usher.metrics?.metrics(),
    export: await usher.outcome(`user export ${path}`),
    outbox: await usher.outcome(`outbox list ${path} --json`),
    settings: await usher.outcome(`database show ${path} --json`),
  }
  expect(texts.log).toContain('user.password_reset')
  expect(texts.spans).toContain('/users/password-reset/confirm')
  expect(texts.metrics).toContain('/users/password-reset/confirm')
  expect(texts.export).toContain(email)
  expect(texts.settings).toContain(receiver.url)
  const tokens = [verification, reset, session.refreshToken.value, refreshed.json().refreshToken.value]
  const secrets = [...tokens.map((token) => token.split('.').at(-1)), webhookSecret.replace('whsec_', '')]
  for (const [name, text] of Object.entries(texts))
    for (const secret of secrets) expect(text, name).not.toContain(secret)
})
