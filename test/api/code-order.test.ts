import { v7 as uuidv7 } from 'uuid'
import { describe, expect, vi } from 'vitest'
import { deliverCode } from '../../server/domain/mail/deliver-mail.js'
import { defaultTemplates } from '../../server/domain/mail/templates.js'
import type { TestApi } from '../support/app.js'
import { appUrl, it, outcome, undeletedMessage } from '../support/codes.js'
import { sendReset, setDatabase } from '../support/operator-changes.js'
import { codeIn } from '../support/smtp.js'
import { keptEvents } from '../support/tenants.js'

const email = 'ada@example.com'
const invalid = [400, 'code_invalid']
const minute = 60_000

/** Delivers a mail, and does something else before one of its accesses to the store, or after all of them. */
async function deliverAround(
  { context }: TestApi,
  message: ReturnType<typeof undeletedMessage>,
  access: number,
  work: () => Promise<unknown>,
) {
  let accesses = 0
  const count = async () => {
    if (accesses++ === access) await work()
  }
  const { query, transaction } = context.store
  const store: typeof context.store = {
    ...context.store,
    query: async (...parameters) => count().then(() => query(...parameters)),
    transaction: async (...parameters) => count().then(() => transaction(...parameters)),
  }
  const from = { name: 'Acme', address: 'accounts@acme.example' }
  const mail = { templates: defaultTemplates, from, sendMail: async () => undefined }
  const claimed = { ...message, recipient: null, attempts: 2 }
  const { signal } = new AbortController()
  await deliverCode({ ...context, store, mail, stopped: signal }, { appUrl }, claimed)
  if (accesses <= access) await work()
}

describe('a mail that is delivered again', () => {
  it.for([0, 1])(
    'does not bring back its code, used before access %i to the store',
    async (access, { app, usher }) => {
      const { id } = await app.signedUp({ email })
      const code = await app.resetCode(email)
      await app.delivered()
      const message = undeletedMessage(app.id, id, code, app.clock.now)
      await usher.store.prisma.message.create({ data: message })
      await deliverAround(usher, message, access, async () =>
        expect((await app.reset(code)).statusCode).toBe(200),
      )
      expect(outcome(await app.reset(code))).toEqual(invalid)
    },
  )

  it.for([0, 1])(
    'does not bring back a code whose replacement is used before access %i to the store',
    async (access, { app, usher }) => {
      const { id } = await app.signedUp({ email })
      const replaced = await app.resetCode(email)
      await app.delivered()
      const message = undeletedMessage(app.id, id, replaced, app.clock.now)
      const { storedAt } = await usher.store.prisma.message.create({ data: message })
      app.clock.now += minute
      const code = await app.resetCode(email)
      await vi.waitFor(async () => expect(await app.messages()).toMatchObject([{ storedAt }]), 10_000)
      await deliverAround(usher, message, access, async () =>
        expect((await app.reset(code)).statusCode).toBe(200),
      )
      expect(outcome(await app.reset(replaced))).toEqual(invalid)
    },
  )

  it('a mail that is delivered again does not replace a newer code', async ({ app, usher }) => {
    const { id } = await app.signedUp({ email })
    const replaced = await app.resetCode(email)
    await app.delivered()
    const message = undeletedMessage(app.id, id, replaced, app.clock.now)
    await usher.store.prisma.message.create({ data: message })
    app.clock.now += minute
    const code = await app.resetCode(email)
    await deliverAround(usher, message, 0, async () => undefined)
    expect(outcome(await app.reset(replaced))).toEqual(invalid)
    expect((await app.reset(code)).statusCode).toBe(200)
  })
})

it('send-reset replaces the code of a server whose clock is 25 seconds ahead', async ({
  app,
  usher,
  smtp,
}) => {
  const user = await app.signedUp({ email })
  const { now } = app.clock
  const ahead = uuidv7({ msecs: Date.now() + 25_000 })
  const message = { ...undeletedMessage(app.id, user.id, ahead, now + 25_000), dueAt: new Date(now) }
  await usher.store.prisma.message.create({ data: message })
  usher.context.deliver([{ databaseId: app.id }])
  await app.delivered()
  await sendReset({ store: usher.store, now: new Date(now) }, app, email)
  usher.context.deliver([{ databaseId: app.id }])
  const [replaced, code] = (await app.delivered()).map(codeIn)
  expect(smtp.mails).toHaveLength(2)
  expect(outcome(await app.reset(String(replaced)))).toEqual(invalid)
  expect((await app.reset(String(code))).statusCode).toBe(200)
})

describe('events of a verification and a reset that run at the same time', () => {
  it.for(['verify', 'reset'] as const)(
    'name one verified address if %s waits for the other',
    async (late, { app, usher, smtp }) => {
      await setDatabase(usher.store, app, { eventsKept: 1 })
      const { id, token } = await app.signedUp({ email })
      const verification = await app.verificationCode(token.jwt)
      const reset = await app.resetCode(email)
      await vi.waitFor(() => expect(smtp.mails).toHaveLength(2), 10_000)
      const steps = {
        verify: () => app.verify(verification),
        reset: () => app.reset(reset),
      }
      const other = late === 'verify' ? 'reset' : 'verify'
      const { transaction } = usher.context.store
      vi.spyOn(usher.context.store, 'transaction').mockImplementationOnce(async (...parameters) => {
        expect((await steps[other]()).statusCode).toBe(200)
        return transaction(...parameters)
      })
      expect((await steps[late]()).statusCode).toBe(200)
      const events = await keptEvents(usher, app.id)
      expect(events.filter(({ type }) => type === 'user.email_verified')).toEqual([
        { type: 'user.email_verified', userId: id },
      ])
    },
  )
})
