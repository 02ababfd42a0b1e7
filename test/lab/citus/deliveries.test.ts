import { randomBytes, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { query } from '../../support/citus.js'
import type { PostgresServer } from '../../support/postgres-server.js'
import { percentile } from '../bench/figures.js'
import { cpuSeconds } from '../bench/processes.js'
import { freeze } from './cluster.js'
import { openStage, report } from './stage.js'

// What servers do for deliveries when there are many databases, with and without a frozen worker.

const databaseCount = 20_000
/** A server that has just started or has been busy compiles and collects for some seconds. */
const settleSeconds = 20
const idleSeconds = 40
const samples = 20
const commands = 3

const milliseconds = (value: number) =>
  Number.isFinite(value) ? `${value.toFixed(0)} ms` : 'more than a minute'

let stage: Awaited<ReturnType<typeof openStage>>
let frozen: PostgresServer
let database: string
let ofFrozen: string[]
let thaw = () => {}
/** The responses to events of the databases of the worker that is to be frozen. */
const held: ServerResponse[] = []

beforeAll(async () => {
  stage = await openStage(databaseCount)
  const [one, other] = stage.cluster.workers as [PostgresServer, PostgresServer]
  database = stage.databasesOf(one)[0] ?? ''
  ofFrozen = stage.databasesOf(other)
  frozen = other
})
afterAll(async () => {
  thaw()
  await stage.close()
})

async function post(name: string, path: string, body: object) {
  // The limits of a network are not what these experiments are about.
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': randomBytes(4).join('.') }
  const url = `${stage.origin}/workspaces/acme/databases/${name}/users${path}`
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  expect(response.ok).toBe(true)
  return (await response.json()) as { id: string }
}

async function signUp(name = database) {
  const email = `${randomUUID()}@example.com`
  return { email, ...(await post(name, '', { email, password: `first ${email}`, newTenant: email })) }
}

/** Returns the milliseconds until something has arrived, or infinity if that takes more than a minute. */
async function until(hasArrived: () => boolean) {
  const start = performance.now()
  while (!hasArrived()) {
    if (performance.now() - start > 60_000) return Number.POSITIVE_INFINITY
    await pause(5)
  }
  return performance.now() - start
}

const untilMail = (email: string) =>
  until(() => stage.smtp.mails.some(({ recipients }) => recipients.includes(email)))

const untilEvent = (userId: string) =>
  until(() => stage.receiver.requests.some(({ event }) => event.data.userId === userId))

/** Reports the statements of a server without requests, and its share of a core. */
async function reportIdle(title: string) {
  const { coordinator } = stage.cluster
  const set = (setting: string) => query(coordinator.url, `ALTER SYSTEM SET ${setting}`)
  const reload = () => query(coordinator.url, 'SELECT pg_reload_conf()')
  await set(`log_line_prefix = '%d %a|'`)
  await set(`log_statement = 'all'`)
  let statements = 0
  const count = async () => {
    // Citus' own sessions have a name, and those of this function use another database.
    for await (const line of coordinator.lines())
      if (/^usher (?!citus)[^|]*\|.*(execute|statement)/.test(line)) statements += 1
  }
  void count()
  await reload()
  await pause(settleSeconds * 1000)
  const [before, start] = [await cpuSeconds(stage.pid), performance.now()]
  statements = 0
  await pause(idleSeconds * 1000)
  const [after, seconds] = [await cpuSeconds(stage.pid), (performance.now() - start) / 1000]
  const [perSecond, percent] = [statements / seconds, (100 * (after - before)) / seconds]
  await query(coordinator.url, 'ALTER SYSTEM RESET ALL')
  await reload()
  report(`idle server, ${title}`, `${perSecond.toFixed(1)} statements/s`, `${percent.toFixed(1)} % of a core`)
  return { perSecond, percent }
}

/** Reports how long mails and events of a database take after their request. */
async function reportDeliveries(title: string) {
  const times = { event: [] as number[], mail: [] as number[] }
  for (let count = 0; count < samples; count++) {
    const { id, email } = await signUp()
    times.event.push(await untilEvent(id))
    await post(database, '/password-reset', { email })
    times.mail.push(await untilMail(email))
  }
  for (const [kind, all] of Object.entries(times)) {
    const figures = [percentile(all, 0.5), Math.max(...all)].map(milliseconds)
    report(`${kind} of a request, ${title}`, ...figures)
  }
  return Math.max(...times.event, ...times.mail)
}

/** Reports how long the mail of a command takes after the command. */
async function reportCommands(title: string) {
  const times: number[] = []
  for (let count = 0; count < commands; count++) {
    const { email } = await signUp()
    const { code, stderr } = await stage.usher(`user send-reset acme/${database} ${email}`)
    expect(code, stderr).toBe(0)
    times.push(await untilMail(email))
  }
  report(`mail of a command, ${title}`, ...times.map(milliseconds))
  return Math.max(...times)
}

it('an idle server sends few statements with many databases', async () => {
  const figures = await reportIdle('all workers respond')
  expect.soft(figures.perSecond).toBeLessThanOrEqual(5)
  expect.soft(figures.percent).toBeLessThanOrEqual(1)
})

it('a mail of a command arrives within seconds with many databases', async () => {
  expect(await reportCommands('all workers respond')).toBeLessThan(5_000)
})

it('a worker freezes during deliveries and delays no delivery of the other worker', async () => {
  await reportDeliveries('all workers respond')
  stage.receiver.answer = (response) => held.push(response)
  for (const name of ofFrozen) for (let count = 0; count < 8; count++) await signUp(name)
  await vi.waitFor(() => expect(held.length).toBeGreaterThanOrEqual(ofFrozen.length), 10_000)
  thaw = await freeze(frozen)
  stage.receiver.answer = (response) => response.writeHead(204).end()
  for (const response of held) response.writeHead(204).end()
  expect(await reportDeliveries('one worker frozen')).toBeLessThan(2_000)
})

it('an idle server sends few statements while a worker is frozen', async () => {
  const figures = await reportIdle('one worker frozen')
  expect.soft(figures.perSecond).toBeLessThanOrEqual(5)
  expect.soft(figures.percent).toBeLessThanOrEqual(1)
})

it('a mail of a command arrives within seconds while a worker is frozen', async () => {
  expect(await reportCommands('one worker frozen')).toBeLessThan(5_000)
})

it('every event of the frozen worker is delivered once it responds', async () => {
  thaw()
  thaw = () => {}
  await stage.expectEvents([])
})
