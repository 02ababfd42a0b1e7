import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../support/postgres-server.js'
import type { Say } from './bench.js'
import { median, table } from './figures.js'
import { startServer } from './processes.js'
import type { World } from './world.js'

const usher = 'server/bin/usher.js'

/** Measures the time from the start of a process to its first response, or of a command to its end. */
export async function startUp(world: World, rounds: number, say: Say) {
  const dataFolder = await mkdtemp(join(tmpdir(), 'usher-bench-'))
  const embedded = async () => {
    const port = await freePort()
    return startServer(port, [usher, 'serve', '--json'], { PORT: String(port), DATA_DIR: dataFolder })
  }
  // The first start creates the store.
  await (await embedded()).stop()
  const servers = {
    floor: world.startFloor,
    ...(world.before && { before: world.before }),
    usher: world.startUsher,
    'usher, embedded store': embedded,
  }
  const commands = ['--help', 'keys list bench/app', 'workspace list', 'user list bench/app', 'migrate']
  const times: Record<string, number[]> = {}
  const record = (name: string, milliseconds: number) => {
    times[name] = [...(times[name] ?? []), milliseconds]
  }
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`)
    for (const [name, start] of Object.entries(servers)) {
      const server = await start()
      record(name, server.startMilliseconds)
      await server.stop()
    }
    for (const command of commands) {
      const start = performance.now()
      await promisify(execFile)(process.execPath, [usher, ...command.split(' ')], { env: world.env })
      record(`usher ${command}`, performance.now() - start)
    }
  }
  await rm(dataFolder, { recursive: true })
  return table(['start-up', 'ms'], [...Object.entries(times).map(([name, all]) => [name, median(all)])])
}
