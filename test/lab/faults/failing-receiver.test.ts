import { randomInt } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { expect, onTestFinished, vi } from 'vitest'
import { requireDatabase } from '../../../server/domain/management/databases.js'
import { startInstance } from '../../support/instances.js'
import { setDatabase } from '../../support/operator-changes.js'
import { startReceiver } from '../../support/receiver.js'
import { it } from '../../support/served-store.js'
import { report, times } from '../form.js'

const path = { workspaceSlug: 'demo', databaseName: 'app' }

/** Longer than most waits after a failure, and much shorter than the longest. */
const clockStep = 120_000
/** A message that fails 19 times is not retried. */
const maxRefusals = 12
/** How much the heap may grow while the second half of the messages is delivered. */
const maxGrowthMib = 1
const support = new URL('../../support/', import.meta.url)

/** Starts a receiver that rejects half of all requests, and counts the accepted ones. */
async function startFailingReceiver() {
  const receiver = await startReceiver()
  onTestFinished(receiver.close)
  const accepted = new Set<string>()
  const refusals = new Map<string, number>()
  /** The number of the next event of each user. */
  const next = new Map<string, number>()
  const seen = { requests: 0, outOfOrder: 0, repeated: 0 }
  receiver.answer = (response, { headers, event: { data } }) => {
    seen.requests += 1
    const id = String(headers['webhook-id'])
    const refused = refusals.get(id) ?? 0
    if (randomInt(2) === 0 && refused < maxRefusals) {
      refusals.set(id, refused + 1)
      return response.writeHead(500).end()
    }
    const userId = String(data.userId)
    if (accepted.has(id)) seen.repeated += 1
    else {
      accepted.add(id)
      if (Number(data.number) !== (next.get(userId) ?? 0)) seen.outOfOrder += 1
      next.set(userId, Number(data.number) + 1)
    }
    return response.writeHead(204).end()
  }
  return { accepted, seen, url: receiver.url }
}

it('messages arrive in order per user at a receiver that fails half of the time, and memory does not grow', async ({
  store,
  env,
}) => {
  const receiver = await startFailingReceiver()
  const database = await requireDatabase(store, path)
  await setDatabase(store, path, { webhookUrl: receiver.url })
  const count = times(160, 10_000)
  const users = Array.from({ length: count / 4 }, () => uuidv7())
  let now = Date.now()
  const createdAt = new Date(now)
  // Prisma splits a call with more than 32,767 parameters, and runs its statements at a time on one connection.
  for (let number = 0; number < 4; number++) {
    await store.prisma.message.createMany({
      data: users.map((userId) => ({
        databaseId: database.id,
        id: uuidv7(),
        kind: 'webhook',
        userId,
        payload: { type: 'user.updated', userId, number },
        createdAt,
        dueAt: createdAt,
      })),
    })
  }
  await store.prisma.messageStream.createMany({
    data: users.map((id) => ({ databaseId: database.id, id, dueAt: createdAt })),
  })
  const NODE_OPTIONS = `--import=${support}test-clock.js?now=${now} --import=${import.meta.resolve('./header-usage.js')}`
  const usher = await startInstance({ ...env, PRIVATE_WEBHOOKS: '*', NODE_OPTIONS })
  const send = (path: string, headers?: Record<string, string>) =>
    fetch(`${usher.origin}${path}`, { headers, signal: AbortSignal.timeout(30_000) })
  async function measure() {
    const { heap, user, system } = JSON.parse(await (await send('/healthz', { 'x-test-usage': '1' })).text())
    return {
      heapMib: heap / 2 ** 20,
      cpuSeconds: (user + system) / 1e6,
      seconds: performance.now() / 1000,
      requests: receiver.seen.requests,
    }
  }
  /** Measured when each quarter of the messages had arrived. */
  type Quarter = Awaited<ReturnType<typeof measure>>
  const quarters: Quarter[] = []
  let requests = 0
  await vi.waitFor(
    async () => {
      while (receiver.accepted.size >= ((quarters.length + 1) / 4) * count) quarters.push(await measure())
      // Nothing is due: the clock moves on.
      if (receiver.seen.requests === requests) now += clockStep
      requests = receiver.seen.requests
      await send(`/test-clock?now=${now}`)
      expect(await store.prisma.message.findFirst()).toBeNull()
      expect(quarters).toHaveLength(4)
    },
    { timeout: 600_000, interval: 100 },
  )
  await usher.stop()
  expect(receiver.accepted.size).toBe(count)
  expect(receiver.seen.outOfOrder).toBe(0)
  const [first, second] = quarters as [Quarter, Quarter]
  const sent = second.requests - first.requests
  const rates = [sent / (second.seconds - first.seconds), sent / (second.cpuSeconds - first.cpuSeconds)]
  const figures = [count, receiver.seen.requests, receiver.seen.repeated, ...rates].map((figure) =>
    figure.toFixed(),
  )
  const heap = quarters.map(({ heapMib }) => heapMib)
  report(`| ${[...figures, ...heap.map((mib) => mib.toFixed(1))].join(' | ')} |`)
  expect(Math.max(...heap)).toBeLessThan(second.heapMib + maxGrowthMib)
})
