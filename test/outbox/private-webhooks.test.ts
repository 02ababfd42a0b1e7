import { expect, vi } from 'vitest'
import { withOwnStore } from '../support/api.js'
import type { TestDatabase } from '../support/app.js'
import { type Operator, startOperator } from '../support/operator.js'
import { startReceiver } from '../support/receiver.js'

const it = withOwnStore
  .extend('storeKind', { scope: 'worker' }, 'postgres')
  .extend('receivers', { scope: 'file' }, async ({ store: _ }, { onCleanup }) => {
    const [allowed, other] = await Promise.all([startReceiver(), startReceiver()])
    onCleanup(() => Promise.all([allowed.close(), other.close()]).then(() => undefined))
    return { allowed, other }
  })
  .extend('usher', { scope: 'file' }, async ({ store, receivers }, { onCleanup }) => {
    const usher = await startOperator(store, { PRIVATE_WEBHOOKS: new URL(receivers.allowed.url).origin })
    onCleanup(usher.close)
    return usher
  })
  .extend('database', ({ usher }) => {
    usher.clock.now = Date.now()
    return usher.newDatabase()
  })

const lastErrors = async ({ store }: Operator, { id: databaseId }: TestDatabase) =>
  (await store.prisma.message.findMany({ where: { databaseId } })).map(({ lastError }) => lastError)

it.for<[string, (port: string) => string]>([
  ['an address of this machine', (port) => `http://127.0.0.1:${port}/hook`],
  ['a name of this machine', (port) => `http://localhost:${port}/hook`],
  ['another form of such an address', (port) => `http://[::ffff:127.0.0.1]:${port}/hook`],
  ['the metadata of a cloud', () => 'http://169.254.169.254/latest/meta-data'],
  ['a private network', () => 'https://10.0.0.1/'],
])(
  'sends no event to %s, and says which setting allows it',
  async ([, urlOf], { usher, database, receivers }) => {
    const url = urlOf(new URL(receivers.other.url).port)
    await usher.json(`database set ${database.path} --webhook-url ${url}`)
    await database.signedUp()
    await vi.waitFor(
      async () =>
        expect(await lastErrors(usher, database)).toEqual([
          'the address is not public. If it is right, add the origin to PRIVATE_WEBHOOKS',
        ]),
      15_000,
    )
    expect(receivers.other.requests).toEqual([])
  },
)

it('sends events to an origin that PRIVATE_WEBHOOKS has', async ({ usher, database, receivers }) => {
  await usher.json(`database set ${database.path} --webhook-url ${receivers.allowed.url}`)
  await database.signedUp()
  await vi.waitFor(async () => expect(await lastErrors(usher, database)).toEqual([]), 15_000)
  expect(receivers.allowed.requests.map(({ event }) => event.type)).toEqual(['user.created'])
})
