import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { loadConfig } from '../../../server/config.js'
import { systemClock } from '../../../server/domain/clock.js'
import { buildUsher } from '../../../server/index.js'
import { openPostgresCopy } from '../../support/store.js'
import { type Plant, plantable } from './plants.js'
import { randomOf } from './random.js'
import type { World } from './round.js'
import { createScheduler } from './scheduler.js'
import { operatorOf, prepare, type Server, settings } from './stage.js'

/** Clocks of servers may differ by 30 s, and tokens have whole seconds. */
const usualSkew = 29_000

/**
 * Starts three servers in this process, on one store, whose statements are held at random points. The clocks of two are
 * ahead.
 */
export async function startServers(seed: number) {
  const random = randomOf(seed)
  const store = await openPostgresCopy()
  const prepared = await prepare(store)
  const scheduled = createScheduler(random)
  const config = loadConfig(settings)
  let skew = usualSkew
  let planted: ReturnType<Plant['create']> | undefined
  const ownStore = plantable(scheduled(store), () => planted)

  async function start(name: string) {
    const isAhead = name !== 'server 1'
    const own = { ...ownStore, close: async () => undefined }
    const usher = await buildUsher(config, own, {
      log: pino({ level: 'silent' }),
      clock: { ...systemClock, now: () => Date.now() + (isAhead ? skew : 0) },
      async sendMail(mail) {
        world.receive(mail)
        // The server is slow then, so that another one sends the mail again while its code is used.
        if (random.chance(0.3)) await world.lapse().then(() => pause(random.below(50)))
      },
    })
    // The limits of an address and of a user would leave few mails, so that each request is counted as that of another.
    const { requestAllowance } = usher.context
    const countedApart: typeof requestAllowance.count = (database, request, change) => {
      const another = { canonicalEmail: `${random.next()}@example.com`, userId: String(random.next()) }
      return requestAllowance.count(database, { ...request, ...another }, change)
    }
    // All of them come from one network. The model knows no bot check.
    usher.context.requestAllowance = { count: countedApart, isHalfUsed: () => false }
    const server: Server = {
      name,
      async send(request) {
        const { statusCode: status, body } = await usher.app.inject(request)
        return status === 503 ? undefined : { status, body: body ? JSON.parse(body) : {} }
      },
    }
    return { ...usher, ...server }
  }
  const servers = await Promise.all(['server 1', 'server 2 ahead', 'server 3 ahead'].map(start))
  const { id: databaseId } = await store.prisma.database.findFirstOrThrow()
  const operator = operatorOf(ownStore, prepared)
  const world: World = {
    servers,
    store,
    prepared,
    operator,
    receive: () => undefined,
    async lapse() {
      await store.prisma.message.updateMany({ where: { kind: 'mail' }, data: { dueAt: new Date(0) } })
      random.pick(servers)?.context.deliver([{ databaseId, kind: 'mail' }])
    },
  }
  async function close() {
    await Promise.all(servers.map((server) => server.close()))
    await operator.context.hashing.close()
    await prepared.receiver.close()
    await store.close()
  }
  /** Adds a defect to the servers, or removes it. */
  const plant = (defect?: Pick<Plant, 'create' | 'skew'>) => {
    planted = defect?.create()
    skew = defect?.skew ?? usualSkew
  }
  return { world, random, plant, close }
}
