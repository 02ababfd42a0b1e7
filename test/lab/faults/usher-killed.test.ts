import { rm } from 'node:fs/promises'
import { it, onTestFinished } from 'vitest'
import { createDataFolder, createPostgresDatabase } from '../../support/store.js'
import { times } from '../form.js'
import { inFolder, onPostgres, openStage, type StorePlace } from './stage.js'

/** Kills and restarts Usher under load. */
async function killUsher(title: string, place: StorePlace, kills: number) {
  const { server, load, noted, expectBack, close } = await openStage(place, { rejections: [0, 503] })
  for (; noted.outages < kills; noted.outages++) {
    await load.sees(201)
    await server.kill()
    await load.sees(0)
    const restarted = performance.now()
    await server.restart()
    await expectBack(restarted)
  }
  await close(title)
}

it('no acknowledged sign-up is lost when Usher is killed on a Postgres store', async () => {
  const { url, drop } = await createPostgresDatabase('template0')
  onTestFinished(drop)
  await killUsher('Usher killed', onPostgres(url), times(2, 15))
})

it('no acknowledged sign-up is lost when Usher is killed on an embedded store', async () => {
  const folder = await createDataFolder()
  onTestFinished(() => rm(folder, { recursive: true }))
  await killUsher('Usher killed with its embedded store', inFolder(folder), times(1, 8))
})
