import { randomUUID } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { ConsoleServer } from '../test/support/console-server.js'

const hourMilliseconds = 3_600_000

/** Stores what operators have done. */
export async function addActions(
  { store: { prisma } }: ConsoleServer,
  owner: { id: string; email: string },
  user: string,
) {
  const { databaseId } = await prisma.operatorAction.findFirstOrThrow()
  const done = [
    ['changeUser', user, 'done', 'disabled: true'],
    ['changeUser', user, 'done', 'disabled: false'],
    ['createUserCode', user, 'done', 'purpose, deliver'],
    ['changeSettings', null, 'done', 'sessionIdle, signUp: false'],
    ['createApiKey', null, 'refused', 'name, scopes, expiresInDays'],
    ['createApiKey', null, 'done', 'name, scopes, expiresInDays'],
    ['retryDeliveries', null, null, 'id'],
  ] as const
  const support = { id: randomUUID(), email: 'grace@acme.example' }
  const data = done.map(([action, target, outcome, fields], index) => {
    const { id, email } = index % 3 ? owner : support
    const by = { operatorId: id, operatorEmail: email, action, target, outcome, fields }
    const createdAt = new Date(Date.now() - (22 - index * 3) * hourMilliseconds)
    const at = { workspace: 'acme', databaseName: 'app', createdAt, requestId: randomUUID() }
    return { databaseId, id: uuidv7(), ...by, ...at }
  })
  await prisma.operatorAction.createMany({ data })
}

/** Stores what three servers have reported. One of them was killed. */
export async function addServers({ store: { prisma }, report }: ConsoleServer) {
  const none = { queueSeconds: 0, shed: 0, oldestMessageSeconds: 0, mailsSent: 7, mailsFailed: 0 }
  const { databaseId } = await prisma.message.findFirstOrThrow()
  const waiting = { mail: { count: 1, databaseId }, webhook: { count: 0, databaseId: null } }
  for (const [index, queued] of [14, 3, 0].entries())
    await report(`web-${index + 1}:3000`, {
      load: { ...none, queued, queueSeconds: queued / 20, connections: 4 + queued },
      maxQueueSeconds: 10,
      maxConnections: 20,
      waiting,
    })
  const ago = (hours: number) => new Date(Date.now() - hours * hourMilliseconds)
  await prisma.serverStatus.updateMany({
    where: { name: 'web-3:3000' },
    data: { seenAt: ago(3), startedAt: ago(30) },
  })
}
