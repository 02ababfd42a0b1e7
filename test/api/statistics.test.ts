import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { sweepDatabase } from '../../server/domain/sweep/sweep.js'
import { startApp } from '../support/app.js'
import { it as consoleTest } from '../support/console.js'

const it = consoleTest.extend('owner', { scope: 'file' }, ({ console }) => console.owner())

const newDatabase = async (owner: { send: (...of: never[]) => unknown }, name: string) => {
  const send = owner.send as (method: string, url: string, payload: object) => Promise<unknown>
  await send('POST', '/operator/workspaces', { slug: 'acme' })
  await send('POST', '/operator/workspaces/acme/databases', { name })
  return `/operator/workspaces/acme/databases/${name}/statistics`
}

it('sign-ups, logins and failures of servers are added to the day when they stop', async ({
  usher,
  store,
  owner,
}) => {
  const path = await newDatabase(owner, 'counted')
  const [one, other] = [await startApp(store), await startApp(store)]
  for (const server of [one, other]) server.clock.now = usher.clock.now
  const email = 'counted@example.com'
  const [first, second] = [one, other].map((server) => server.client('acme', 'counted'))
  await first?.signedUp({ email })
  await first?.login({ email, password: 'correct horse battery' })
  await second?.login({ email, password: 'correct horse battery' })
  await second?.login({ email, password: 'wrong horse battery' })
  const read = async () => (await owner.send('GET', `${path}?days=2`)).json()
  expect((await read()).days).toMatchObject([{ signUps: 0 }, { signUps: 0, logins: 0, failures: 0 }])
  await Promise.all([one.close(), other.close()])
  const { days, users, countedAt } = await read()
  const day = new Date(usher.clock.now).toISOString().slice(0, 10)
  expect(days).toMatchObject([{ logins: 0 }, { day, signUps: 1, logins: 2, failures: 1, throttled: 0 }])
  // Few users are counted immediately.
  expect([users, countedAt]).toEqual([1, null])
})

it('the sweep counts the users, and deletes counts and actions after 400 days', async ({
  usher,
  store,
  owner,
}) => {
  const path = await newDatabase(owner, 'swept')
  const app = usher.client('acme', 'swept')
  for (let count = 0; count < 3; count++) await app.signedUp()
  const { id: databaseId } = await usher.context.findDatabase({
    workspaceSlug: 'acme',
    databaseName: 'swept',
  })
  const { prisma } = store
  const counts = { signUps: 1, logins: 1, failures: 0, throttled: 0, mails: 0, mailsFailed: 0 }
  const dayAgo = (days: number) => new Date(usher.clock.now - days * 86_400_000)
  for (const days of [402, 398])
    await prisma.dailyStatistics.create({ data: { databaseId, day: dayAgo(days), ...counts } })
  const operators = (await usher.context.findOperators())?.id ?? ''
  for (const [index, days] of [401, 399].entries())
    await prisma.operatorAction.create({
      data: {
        databaseId: operators,
        id: `01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a0${index}`,
        operatorId: owner.id,
        operatorEmail: owner.email,
        action: 'old',
        requestId: String(days),
        createdAt: dayAgo(days),
      },
    })
  const sweeping = {
    log: usher.app.log as never,
    stopped: new AbortController().signal,
    pause: async () => undefined,
  }
  for (const id of [databaseId, operators]) await sweepDatabase(usher.context, id, sweeping)
  const countedAt = new Date(usher.clock.now)
  expect(await prisma.sweep.findUnique({ where: { databaseId } })).toMatchObject({ users: 3n, countedAt })
  await prisma.sweep.update({ where: { databaseId }, data: { users: 50_000n } })
  const many = { users: 50_000, hasMore: false, countedAt: countedAt.toISOString() }
  expect((await owner.send('GET', path)).json()).toMatchObject(many)
  // A sweep that has counted few users has not counted those of today.
  await prisma.sweep.update({ where: { databaseId }, data: { users: 3n } })
  const grown = Array.from({ length: 98 }, (_, index) => `grown-${index}@example.com`)
  await prisma.user.createMany({
    data: grown.map((email) => ({
      ...{ databaseId, id: randomUUID(), email, canonicalEmail: email },
      createdAt: dayAgo(0),
    })),
  })
  expect((await owner.send('GET', path)).json()).toMatchObject({
    users: 101,
    hasMore: false,
    countedAt: null,
  })
  await prisma.$executeRaw`INSERT INTO usher."user" (database_id, id, email, email_key, created_at)
    SELECT ${databaseId}::uuid, gen_random_uuid(), n::text, n::text, now() FROM generate_series(1, 5000) AS n`
  expect((await owner.send('GET', path)).json()).toMatchObject({
    users: 5_000,
    hasMore: true,
    countedAt: null,
  })
  expect(await prisma.dailyStatistics.count({ where: { databaseId } })).toBe(1)
  expect(await prisma.operatorAction.findMany({ where: { action: 'old' } })).toMatchObject([
    { requestId: '399' },
  ])
})
