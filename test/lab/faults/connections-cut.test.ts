import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPostgresDatabase } from '../../support/store.js'
import { times } from '../form.js'
import { type CuttingProxy, type Direction, startProxy } from './proxy.js'
import { onPostgres, openStage } from './stage.js'

let database: Awaited<ReturnType<typeof createPostgresDatabase>>
let proxy: CuttingProxy
beforeEach(async () => {
  database = await createPostgresDatabase('template0')
  proxy = await startProxy(database.url)
})
afterEach(async () => {
  await proxy.close()
  await database.drop()
})

const directions: Direction[] = ['toStore', 'toUsher']

it('no acknowledged sign-up is lost when connections are cut at any byte under load', async () => {
  const { load, noted, close } = await openStage(onPostgres(database.url, proxy.url))
  for (; noted.outages < times(15, 600); noted.outages++) {
    const direction = directions[noted.outages % 2] ?? 'toStore'
    // Multiples of a prime spread over all positions.
    const bytes = 1 + ((noted.outages * 7_919) % 20_000)
    const isDone = proxy.cut({ direction, bytes, resets: noted.outages % 4 > 1 })
    await load.until(() => expect(isDone()).toBe(true))
  }
  await load.sees(201)
  expect(load.count(503)).toBeGreaterThan(0)
  await close('Connections cut under load')
})

const cases = directions.flatMap((direction) => [
  { direction, isNew: true },
  { direction, isNew: false },
])

it('no acknowledged sign-up is lost when a new or used connection is cut after each byte in either direction', async () => {
  const { load, noted, close } = await openStage(onPostgres(database.url, proxy.url), { clients: 0 })
  for (const { direction, isNew } of cases) {
    let isDone = () => true
    for (let bytes = 1; isDone(); bytes += times(101, 1)) {
      const email = `cut-${noted.outages}@example.com`
      if (isNew) proxy.cutAll()
      isDone = proxy.cut({ direction, bytes, resets: bytes % 2 === 0 })
      await load.signUp({ email, newTenant: `Tenant of ${email}`, key: `key of ${email}` })
      noted.outages += 1
    }
    proxy.callOff()
  }
  expect(load.count(503)).toBeGreaterThan(20)
  await close('Connections cut after each byte of a sign-up')
})
