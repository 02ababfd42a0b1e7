import type { PrismaClient } from '../../../server/store/generated/client.js'
import type { OpenStore } from '../../support/open-store.js'
import type { Random } from './random.js'

/** A statement is held until so many others have passed, but no longer than this, since it may hold a lock. */
const longest = { passes: 15, milliseconds: 30 }

/** Holds statements of several servers at random points, so that they meet in unusual orders without load. */
export function createScheduler(random: Random) {
  const held = new Set<{ passes: number; release: () => void }>()
  const seen = new Map<string, number>()

  /** Rare statements are held more often: what happens around them is tried least. */
  function isHeld(text: string) {
    const times = (seen.get(text) ?? 0) + 1
    seen.set(text, times)
    return random.chance(0.05 + 1.2 / (times + 2))
  }

  function pass() {
    for (const each of held) {
      each.passes -= 1
      if (each.passes === 0) each.release()
    }
  }

  /** Waits, or not, before or after a statement. */
  async function point(text: string) {
    if (!isHeld(text)) return
    await new Promise<void>((resolve) => {
      function release() {
        held.delete(own)
        resolve()
      }
      const own = { passes: 1 + random.below(longest.passes), release }
      held.add(own)
      setTimeout(release, longest.milliseconds)
    })
  }

  const scheduled =
    (query: OpenStore['query'], sendsAlone: boolean): OpenStore['query'] =>
    async (text, values, milliseconds) => {
      await point(text)
      try {
        return await query(text, values, milliseconds)
      } finally {
        pass()
        // The last point of a transaction lies before its commit.
        await point(sendsAlone ? `after ${text}` : `within ${text}`)
      }
    }

  function withScheduled(client: PrismaClient) {
    const prisma = client.$extends({
      query: {
        async $allOperations({ model, operation, args, query }) {
          const text = `${model} ${operation}`
          await point(text)
          return query(args).finally(() => point(`after ${text}`))
        },
      },
    }) as unknown as PrismaClient
    return { prisma, loadPrisma: async () => prisma }
  }

  /** Returns a store whose statements are held. */
  return ({ prisma, ...store }: OpenStore): OpenStore => ({
    ...store,
    ...withScheduled(prisma),
    query: scheduled(store.query, true),
    transaction: (databaseId, work, milliseconds) =>
      store.transaction(databaseId, (query) => work(scheduled(query, false)), milliseconds),
  })
}
