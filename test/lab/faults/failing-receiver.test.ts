import { randomInt } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { v7 as uuidv7 } from 'uuid'
import { expect, vi } from 'vitest'
import { setDatabase } from '../../../server/domain/admin/databases.js'
import { webhookSettings } from '../../../server/domain/admin/webhook.js'
import { withOwnStore } from '../../support/api.js'
import { startApp } from '../../support/app.js'
import { report, times } from '../form.js'

const it = withOwnStore.extend('storeKind', { scope: 'worker' }, 'postgres')

/** Longer than most waits after a failure, and much shorter than the longest. */
const clockStep = 120_000

/** Starts a receiver that refuses half of all requests, and counts what it accepts. */
async function startFailingReceiver() {
  const accepted = new Set<string>()
  /** The number of the next event of each user. */
  const next = new Map<string, number>()
  const seen = { requests: 0, outOfOrder: 0, repeated: 0 }
  const server = createServer(async (request, response) => {
    const { data } = JSON.parse(await text(request))
    seen.requests += 1
    if (randomInt(2) === 0) return response.writeHead(500).end()
    const id = String(request.headers['webhook-id'])
    if (accepted.has(id)) seen.repeated += 1
    else {
      accepted.add(id)
      if (data.number !== (next.get(data.userId) ?? 0)) seen.outOfOrder += 1
      next.set(data.userId, data.number + 1)
    }
    return response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { accepted, seen, url, close: () => server.close() }
}

it('all messages arrive in order per user at a receiver that fails half of the time', async ({ store }) => {
  const receiver = await startFailingReceiver()
  const usher = await startApp(store)
  const { id: databaseId, path } = await usher.newDatabase()
  const [workspaceSlug = '', databaseName = ''] = path.split('/')
  const { settings } = webhookSettings(
    store.masterKey,
    { id: databaseId, webhookUrl: null },
    { webhookUrl: receiver.url },
  )
  await setDatabase(store, { workspaceSlug, databaseName }, settings)
  const messages = times(400, 10_000)
  const users = Array.from({ length: messages / 4 }, () => uuidv7())
  const createdAt = new Date(usher.clock.now)
  await store.prisma.message.createMany({
    data: Array.from({ length: messages }, (_, index) => {
      const userId = users[index % users.length] ?? ''
      const payload = { type: 'user.updated', userId, number: Math.floor(index / users.length) }
      return { databaseId, id: uuidv7(), kind: 'webhook', userId, payload, createdAt, dueAt: createdAt }
    }),
  })
  const heap: number[] = []
  const begun = performance.now()
  let requests = 0
  let half = { requests: 0, seconds: 0 }
  await vi.waitFor(
    async () => {
      heap.push(process.memoryUsage().heapUsed / 2 ** 20)
      if (receiver.accepted.size < messages / 2)
        half = { requests: receiver.seen.requests, seconds: (performance.now() - begun) / 1000 }
      // Nothing is due: the clock moves on.
      if (receiver.seen.requests === requests) usher.clock.now += clockStep
      requests = receiver.seen.requests
      usher.context.deliver([{ databaseId }])
      expect(await store.prisma.message.count({ where: { databaseId } })).toBe(0)
    },
    { timeout: 600_000, interval: 100 },
  )
  expect(receiver.accepted.size).toBe(messages)
  expect(receiver.seen).toMatchObject({ requests, outOfOrder: 0 })
  const cells = [
    messages,
    requests,
    receiver.seen.repeated,
    half.requests / half.seconds,
    heap[0] ?? 0,
    Math.max(...heap),
  ]
  report(`| ${cells.map((cell) => cell.toFixed(0)).join(' | ')} |`)
  await usher.close()
  receiver.close()
})
