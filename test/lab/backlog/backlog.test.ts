import { setTimeout as pause } from 'node:timers/promises'
import { v7 as uuidv7 } from 'uuid'
import { expect, onTestFinished, vi } from 'vitest'
import { sealWebhookSecret } from '../../../server/domain/keys/master-key.js'
import { newWebhookSecret } from '../../../server/domain/outbox/webhook.js'
import { claimStreams } from '../../../server/store/queries/streams.js'
import { storeBacklog } from '../../outbox/backlog.js'
import { withOwnStore } from '../../support/api.js'
import { startApp, type TestApi } from '../../support/app.js'
import type { OpenStore } from '../../support/open-store.js'
import { sendReset, setDatabase } from '../../support/operator-changes.js'
import { freePort } from '../../support/postgres-server.js'
import { startReceiver } from '../../support/receiver.js'
import { startSmtp } from '../../support/smtp.js'
import type { TestStore } from '../../support/store.js'
import { startServer as startProcess } from '../bench/processes.js'
import { isLong, report, times } from '../form.js'

const it = withOwnStore.extend('storeKind', { scope: 'worker' }, 'postgres')
const options = { timeout: times(60_000, 1_800_000) }

const backlogs = [
  ['events of one user', { users: 1, eventsOfUser: times(1_000, 1_000_000) }],
  ['users with three events each', { users: times(300, 100_000), eventsOfUser: 3 }],
] as const

/** Starts a server whose receiver refuses all events but those of one type. */
async function startServer(store: OpenStore) {
  const receiver = await startReceiver()
  receiver.answer = (response, { event }) =>
    response.writeHead(event.type === 'user.updated' ? 500 : 204).end()
  const smtp = await startSmtp()
  const api = await startApp(store, {
    SMTP_URL: smtp.url,
    MAIL_FROM: 'accounts@example.com',
    TRUST_PROXY: '1',
  })
  const clock = setInterval(() => {
    api.clock.now = Date.now()
  }, 20)
  api.clock.now = Date.now()
  onTestFinished(async () => {
    clearInterval(clock)
    await api.close()
    await store.prisma.$executeRaw`TRUNCATE usher.outbox, usher.outbox_stream`
    await Promise.all([receiver.close(), smtp.close()])
  })
  return { api, receiver, smtp }
}

const createWebhook = async ({ store, newDatabase }: TestApi, url: string) => {
  const database = await newDatabase()
  await setDatabase(store, database, { webhookUrl: url, appUrl: 'https://app.example.com' })
  return database
}

const timed = async (work: () => Promise<unknown>) => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

/** Starts a process that serves the store, and returns how many percent of a core it uses without requests. */
async function idleCpuPercent({ settings }: TestStore, seconds: number) {
  const port = await freePort()
  const env = { ...settings, PORT: String(port) }
  const server = await startProcess(port, ['server/bin/usher.js', 'serve'], env)
  await pause(seconds * 200)
  const before = await server.cpuSeconds()
  await pause(seconds * 1_000)
  const used = (await server.cpuSeconds()) - before
  await server.stop()
  return (used / seconds) * 100
}

it.for(backlogs)(
  'a backlog of %s slows neither claims nor other users',
  options,
  async ([title, backlog], { store }) => {
    const { api, receiver } = await startServer(store)
    const database = await createWebhook(api, receiver.url)
    await storeBacklog(store, { databaseIds: [database.id], ...backlog })
    const durations: number[] = []
    for (let count = 0; count < times(3, 50); count++) {
      const claim = {
        databaseId: database.id,
        now: new Date(),
        until: new Date(Date.now() + 60_000),
      }
      durations.push(await timed(() => claimStreams(store, { ...claim, lookAgain: new Date() }, 16)))
    }
    durations.sort((one, other) => one - other)
    const waits: number[] = []
    for (let count = 0; count < times(2, 20); count++) {
      waits.push(
        await timed(async () => {
          const { id } = await database.signedUp()
          const isReceived = () => receiver.requests.some(({ event }) => event.data.userId === id)
          await vi.waitFor(() => expect(isReceived()).toBe(true), {
            timeout: times(20_000, 60_000),
            interval: 5,
          })
        }),
      )
    }
    waits.sort((one, other) => one - other)
    const figures = [
      durations[durations.length >> 1],
      durations.at(-1),
      waits[waits.length >> 1],
      waits.at(-1),
    ]
    report(
      `| ${title} | ${backlog.users * backlog.eventsOfUser} | ${figures.map((ms) => ms?.toFixed(1)).join(' | ')} |`,
    )
    expect(durations[durations.length >> 1]).toBeLessThan(times(1_000, 10))
    expect(waits.at(-1)).toBeLessThan(times(10_000, 1_000))
  },
)

it(
  'a mail of a command is found among many databases, and a search costs little',
  options,
  async ({ store }) => {
    const statements = { count: 0 }
    const query: OpenStore['query'] = (text, values, milliseconds) => {
      statements.count += 1
      return store.query(text, values, milliseconds)
    }
    const { api, smtp } = await startServer({ ...store, query })
    const database = await createWebhook(api, 'http://127.0.0.1:9')
    await database.signedUp({ email: 'ada@example.com' })
    const { id, ...example } = await store.prisma.database.findUniqueOrThrow({ where: { id: database.id } })
    expect(id).toBe(database.id)
    for (let begin = 0; begin < times(300, 20_000); begin += 500) {
      const data = Array.from({ length: 500 }, (_, index) => ({
        ...example,
        id: uuidv7(),
        name: `other-${begin + index}`,
        claims: {},
      }))
      await store.prisma.database.createMany({ data })
    }
    await vi.waitFor(async () => expect(await store.prisma.message.count()).toBeLessThan(2), 20_000)
    const waits: number[] = []
    for (let count = 1; count <= times(1, 20); count++) {
      await pause(Math.random() * times(0, 2_000))
      waits.push(
        await timed(async () => {
          await sendReset({ store, now: new Date() }, database, 'ada@example.com')
          await vi.waitFor(() => expect(smtp.mails).toHaveLength(count), { timeout: 20_000, interval: 5 })
        }),
      )
    }
    waits.sort((one, other) => one - other)
    const before = statements.count
    const seconds = times(0.1, 60)
    await pause(seconds * 1_000)
    const statementsOfSecond = (statements.count - before) / seconds
    const figures = [waits[waits.length >> 1], waits.at(-1)].map((ms) => ms?.toFixed(0))
    const cpuPercent = isLong ? await idleCpuPercent(store, seconds) : 0
    const rates = [statementsOfSecond, cpuPercent].map((each) => each.toFixed(2))
    report(`| ${times(300, 20_000)} databases | ${[...figures, ...rates].join(' | ')} % |`)
    expect(waits.at(-1)).toBeLessThan(5_000)
  },
)

it('a mail is sent while the receivers of many databases do not respond', options, async ({ store }) => {
  const { api, receiver, smtp } = await startServer(store)
  receiver.answer = () => undefined
  const { id } = await api.newDatabase()
  const example = await store.prisma.database.findUniqueOrThrow({ where: { id } })
  const count = times(200, 1_000)
  const data = Array.from({ length: count }, (_, index) => {
    const own = { id: uuidv7(), name: `hanging-${index}`, claims: {}, webhookUrl: receiver.url }
    const sealedWebhookSecret = sealWebhookSecret(store.masterKey, newWebhookSecret(), own)
    return { ...example, ...own, sealedWebhookSecret }
  })
  await store.prisma.database.createMany({ data })
  const databaseIds = data.map((each) => each.id)
  await storeBacklog(store, { databaseIds, users: 1, eventsOfUser: times(1, 20) })
  const database = await api.newDatabase()
  await setDatabase(store, database, { appUrl: 'https://app.example.com' })
  api.context.deliver(databaseIds.map((databaseId) => ({ databaseId, kind: 'webhook' })))
  await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThanOrEqual(32), 20_000)
  const waits: number[] = []
  for (let sent = 1; sent <= times(1, 50); sent++) {
    const { token } = await database.signedUp()
    waits.push(
      await timed(async () => {
        // The limits of a network are not what this experiment is about.
        const headers = { authorization: `Bearer ${token.jwt}`, 'x-forwarded-for': `192.0.2.${sent}` }
        await api.send({ method: 'POST', url: `${database.users}/me/email-verification`, headers })
        await vi.waitFor(() => expect(smtp.mails).toHaveLength(sent), { timeout: 20_000, interval: 5 })
      }),
    )
  }
  waits.sort((one, other) => one - other)
  const figures = [waits[waits.length >> 1], waits.at(-1)].map((ms) => ms?.toFixed(0))
  report(`| ${count} receivers that do not respond | ${figures.join(' | ')} |`)
  expect(waits.at(-1)).toBeLessThan(times(5_000, 2_000))
})
