import { v7 as uuidv7 } from 'uuid'
import { expect, vi } from 'vitest'
import { setDatabase } from '../../server/domain/admin/databases.js'
import { webhookSettings } from '../../server/domain/admin/webhook.js'
import { UnavailableError } from '../../server/store/errors.js'
import { withOwnStore as it } from '../support/api.js'
import { startApp } from '../support/app.js'
import { startReceiver } from '../support/receiver.js'

it('a database whose node is unavailable does not hold back the messages of others', async ({ store }) => {
  const receiver = await startReceiver()
  let unavailable = ''
  const usher = await startApp({
    ...store,
    query: async (text, values, milliseconds) => {
      if (values[0] === unavailable) throw new UnavailableError('the node does not respond')
      return store.query(text, values, milliseconds)
    },
  })
  unavailable = (await usher.newDatabase()).id
  const database = await usher.newDatabase()
  const { settings } = webhookSettings(
    store.masterKey,
    { id: database.id, webhookUrl: null },
    { webhookUrl: receiver.url },
  )
  await setDatabase(store, database, settings)
  const createdAt = new Date(usher.clock.now)
  // Another server has left it.
  await store.prisma.message.create({
    data: {
      databaseId: database.id,
      id: uuidv7(),
      kind: 'webhook',
      payload: { type: 'user.updated' },
      createdAt,
      dueAt: createdAt,
    },
  })
  await vi.waitFor(() => expect(receiver.requests).toHaveLength(1), 20_000)
  await usher.close()
  await receiver.close()
})
