import { randomUUID } from 'node:crypto'
import { expect, vi } from 'vitest'
import { loadConfig } from '../../../server/config.js'
import { createContext } from '../../../server/domain/context.js'
import { createDatabase } from '../../../server/domain/management/databases.js'
import { createWorkspace } from '../../../server/domain/management/workspaces.js'
import { cheapHashes } from '../../../server/testing/cheap-hashes.js'
import { notices } from '../../support/codes.js'
import type { OpenStore } from '../../support/open-store.js'
import { createTenant, setDatabase } from '../../support/operator-changes.js'
import { startReceiver } from '../../support/receiver.js'
import { recordChanges } from './changes.js'
import { type Operator, path } from './commands.js'
import type { Request } from './requests.js'

/** A server as clients see it. */
export interface Server {
  name: string
  /** Returns undefined if the outcome is unknown, `not_sent` if the server cannot have received the request. */
  send(request: Request): Promise<{ status: number; body: Record<string, unknown> } | undefined | 'not_sent'>
}

/** A mail with a code that has arrived. */
export interface Mail {
  id: string
  to: string
  text: string
}

/** Creates the database of a history, whose events go to a receiver, and the tenants that its users join. */
export async function prepare(store: OpenStore) {
  const now = new Date()
  await createWorkspace(store, path.workspaceSlug, now)
  await createDatabase({ store, now }, path, {
    networkFailuresPerHour: 0,
    signUpsPerHour: 0,
    requireVerifiedInviter: false,
    mailsPerHour: 0,
    appUrl: 'https://app.example.com',
    loginMail: 'both',
    ...notices(false),
  })
  const receiver = await startReceiver()
  await setDatabase(store, path, { webhookUrl: receiver.url })
  const tenants = new Map<string, string>()
  for (const name of ['Engines', 'Compilers'])
    tenants.set(name, (await createTenant({ store, now }, path, { name })).id)
  await addResident(store, [...tenants.values()])
  await store.prisma.message.deleteMany()
  await recordChanges(store)
  /** Waits until all messages are delivered. */
  async function settle(timeout = 20_000) {
    const isSettled = async () => expect(await store.prisma.message.count()).toBe(0)
    await vi.waitFor(isSettled, { timeout, interval: 20 })
  }
  return { receiver, tenants, settle }
}

export type Prepared = Awaited<ReturnType<typeof prepare>>

/** Settings of servers that know clients by a header. */
export const settings = {
  ...{ ...cheapHashes, HASH_QUEUE_SECONDS: '60', TRUST_PROXY: '1' },
  PRIVATE_WEBHOOKS: '*',
}

/** Returns what commands need. */
export const operatorOf = (store: OpenStore, { tenants }: Prepared): Operator => ({
  context: { ...createContext(loadConfig(settings), store), store },
  tenants,
})

/** Adds a user who stays in the tenants, because a tenant may be deleted with its last user. */
async function addResident({ prisma }: OpenStore, tenantIds: readonly string[]) {
  const { id: databaseId } = await prisma.database.findFirstOrThrow()
  const [id, now] = [randomUUID(), new Date()]
  const email = 'resident@example.com'
  const user = { databaseId, id, email, canonicalEmail: email, passwordHash: 'none', createdAt: now }
  await prisma.user.createMany({ data: user })
  const data = tenantIds.map((tenantId) => ({ databaseId, userId: id, tenantId, joinedAt: now }))
  await prisma.membership.createMany({ data })
}
