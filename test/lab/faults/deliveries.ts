import { expect, vi } from 'vitest'
import { createDatabase } from '../../../server/domain/management/databases.js'
import { createWorkspace } from '../../../server/domain/management/workspaces.js'
import { migrate } from '../../../server/store/migrate.js'
import type { OpenStore } from '../../support/open-store.js'
import { report } from '../form.js'
import { type Server, startServer } from './server.js'
import type { StorePlace } from './stage.js'

const frequentSearches = new URL('./frequent-searches.js', import.meta.url)

export const path = { workspaceSlug: 'acme', databaseName: 'app' }

/** Returns whether a message that has arrived is accepted. Its sender waits until then. */
type Answer = (id: string) => Promise<boolean>
export const accept: Answer = async () => true
export const refuse: Answer = async () => false
const hold: Answer = () => new Promise(() => undefined)

/** Causes, receives and checks messages of one kind. */
export interface Channel {
  title: string
  /** Settings with which Usher sends messages. */
  env: Record<string, string>
  /** Lets the database send messages. */
  prepare(store: OpenStore): Promise<unknown>
  /** Sends a request whose change causes messages of a new user. Returns whether it was acknowledged. */
  request(server: Server): Promise<boolean>
  /** Part of the statement that writes the change and its messages, among its first 1,024 bytes. */
  statement: string
  /** Whether that statement is not part of a transaction, so that it stores the change by itself. */
  storesAlone: boolean
  /** Changes the same user by the command line, which causes another message. */
  operate(store: OpenStore): Promise<unknown>
  answer: Answer
  /** Ids of the messages that have arrived, including repeated and rejected ones. */
  received: string[]
  accepted: Set<string>
  /** Checks what has arrived. Returns the number of users whose changes were stored. */
  audit(server: Server): Promise<number>
}

/** Starts Usher on a store with the database acme/app. */
export async function startDelivering(place: StorePlace, channel: Channel) {
  /** Runs work on the store while no server has it open, or next to one on Postgres. */
  async function onStore<Result>(work: (store: OpenStore) => Promise<Result>) {
    const store = await place.open()
    return work(store).finally(store.close)
  }
  await onStore(async (store) => {
    await migrate(store)
    await createWorkspace(store, path.workspaceSlug, new Date())
    await createDatabase({ store, now: new Date() }, path, { signUpsPerHour: 0 })
    await channel.prepare(store)
  })
  const NODE_OPTIONS = `--import=${frequentSearches}`
  const server = await startServer({ ...place.env, ...channel.env, NODE_OPTIONS, WORKERS: '1' })
  let kills = 0
  let users = 0

  /** Sends a request that must be acknowledged. */
  const request = async () => expect(await channel.request(server)).toBe(true)

  /** Does the same, and waits until a message has arrived that gets no response. */
  async function requestHeld() {
    channel.answer = hold
    const before = channel.received.length
    await request()
    await vi.waitFor(() => expect(channel.received.length).toBeGreaterThan(before), 10_000)
  }

  /**
   * Kills Usher, starts it again as if the minute of its claims had passed, waits for all messages and checks them.
   *
   * @param ended waits until the store has dealt with the last statements of the killed process
   * @param isStored whether the change of the last request must have been stored
   */
  async function killAndDeliver(ended: () => Promise<unknown>, isStored: boolean) {
    await server.kill()
    kills += 1
    await ended()
    const newest = await onStore(async (store) => {
      const { message, messageStream } = store.prisma
      expect((await message.count()) > 0, 'the change is stored').toBe(isStored)
      if (isStored) await channel.operate(store)
      await message.updateMany({ data: { dueAt: new Date(0) } })
      await messageStream.updateMany({ data: { dueAt: new Date(0) } })
      const messages = await message.findMany({ orderBy: { id: 'asc' } })
      // A mail is not sent if a newer one of the same type replaces it.
      return new Map(messages.map(({ id, payload }) => [(payload as { type: string }).type, id]))
    })
    channel.answer = accept
    await server.restart()
    const arrived = () => expect([...newest.values()].filter((id) => !channel.accepted.has(id))).toEqual([])
    await vi.waitFor(arrived, 20_000)
    users = await channel.audit(server)
  }

  /** Prints the figures since the last call, of users and messages since the start. */
  function reportStep(step: string) {
    const messages = new Set(channel.received).size
    const cells = [channel.title, step, kills, users, messages, 0, channel.received.length - messages]
    report(`| ${cells.join(' | ')} |`)
    kills = 0
  }
  return { server, onStore, request, requestHeld, killAndDeliver, reportStep }
}
