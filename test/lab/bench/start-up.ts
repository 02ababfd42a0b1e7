import { median, table } from './figures.js'
import type { World } from './world.js'

/** Measures the time from the start of the process to its first response. */
export async function startUp(world: World, rounds: number) {
  const times = { floor: [] as number[], usher: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    for (const [name, start] of [
      ['floor', world.startFloor],
      ['usher', world.startUsher],
    ] as const) {
      const server = await start()
      times[name].push(server.startMilliseconds)
      await server.stop()
    }
  }
  return table(['start-up', 'ms'], [...Object.entries(times).map(([name, all]) => [name, median(all)])])
}
