import type { Say } from './bench.js'
import { median, table } from './figures.js'
import type { World } from './world.js'

/** Measures the time from the start of the process to its first response. */
export async function startUp(world: World, rounds: number, say: Say) {
  const times = { floor: [] as number[], usher: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`)
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
