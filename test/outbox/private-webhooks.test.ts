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

it.for<[string, (port: string) => string, string]>([
  ['an address of this machine', (port) => `http://127.0.0.1:${port}/hook`, 'the URL must begin with https'],
  ['the metadata of a cloud', () => 'https://169.254.169.254/latest', 'the address is not public'],
  ['a private network', () => 'https://10.0.0.1/', 'the address is not public'],
  ['a name of this machine', (port) => `https://localhost:${port}/`, 'the address is not public'],
])('asks no hook at %s', async ([, urlOf, error], { usher, database, receivers }) => {
  const url = urlOf(new URL(receivers.other.url).port)
  await usher.json(`database set ${database.path} --sign-up-hook-url ${url}`)
  const tested = await usher.json(`hook test ${database.path}`)
  expect(tested).toMatchObject({ allow: null, error: expect.stringContaining(error) })
  expect(tested.error).toContain('add the origin to PRIVATE_WEBHOOKS')
  expect(receivers.other.requests).toEqual([])
})

it('tests a hook at an origin that PRIVATE_WEBHOOKS has', async ({ usher, database, receivers }) => {
  const { allowed } = receivers
  const PRIVATE_WEBHOOKS = new URL(allowed.url).origin
  const { stdout, stderr } = await usher.operator(
    `database set ${database.path} --sign-up-hook-url ${allowed.url}`,
  )
  expect(stdout).toMatch(/^Secret of the sign-up hook\. It is not shown again: whsec_/m)
  // The path may be secret.
  expect(JSON.parse(stderr).settings).toEqual({ signUpHookUrl: PRIVATE_WEBHOOKS })
  const test = async () => usher.outcome(`hook test ${database.path}`, '', { PRIVATE_WEBHOOKS })
  expect(await test()).toMatch(/^0 The hook has failed: status 204, not 200 \(\d+ ms\)\n$/)
  const { answer } = allowed
  allowed.answer = (response) => response.end('{"allow":false,"reason":"No."}')
  expect(await test()).toMatch(/^0 The hook refuses the sign-up: No\. \(\d+ ms\)\n$/)
  allowed.answer = answer
  const sent = allowed.requests.splice(0).at(-1)
  expect(sent?.event.data).toMatchObject({ email: 'test@example.com', isTest: true })
  await usher.json(`database set ${database.path} --sign-up-hook-url none`)
  expect(await test()).toContain('Set it with --sign-up-hook-url')
})

it('sends events to an origin that PRIVATE_WEBHOOKS has', async ({ usher, database, receivers }) => {
  await usher.json(`database set ${database.path} --webhook-url ${receivers.allowed.url}`)
  await database.signedUp()
  await vi.waitFor(async () => expect(await lastErrors(usher, database)).toEqual([]), 15_000)
  expect(receivers.allowed.requests.map(({ event }) => event.type)).toEqual(['user.created'])
})
