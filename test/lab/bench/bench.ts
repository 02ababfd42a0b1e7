import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { databases } from './databases.js'
import { fair } from './fair.js'
import { providerLogins, twoSteps } from './logins.js'
import { overload } from './overload.js'
import { passkeyLogins } from './passkey-logins.js'
import { peers } from './peers.js'
import { type Operation, rates } from './rates.js'
import { revocations } from './revocations.js'
import { saturated } from './saturated.js'
import { scale } from './scale.js'
import { startUp } from './start-up.js'
import { workers } from './workers.js'
import { createWorld, type World } from './world.js'

// Compares Usher with the smallest program that does the same work: npm run bench [-- PART …]. Server, load and Postgres
// share the machine, so only ratios within a run are meaningful. Run nothing else at the same time. `scale=100000` measures lists
// with that number of users, and `scale` with 5 million, which takes 4 GB. `peers=FOLDER` compares with other servers that
// are installed in the folder, only if it is chosen (peers/README.md).

/** Prints a line about the progress. */
export type Say = (text: string) => void

interface Part {
  /** About how long it takes on two cores. */
  seconds: number
  /** Whether it runs only if it is chosen. */
  onlyIfChosen?: boolean
  run(world: World, say: Say): Promise<string>
}

const rate = (operation: Operation): Part => ({
  seconds: 100,
  run: (world, say) => rates(world, operation, { rounds: 5, seconds: 3 }, say),
})
const parts: Record<string, Part> = {
  create: rate('create'),
  login: rate('login'),
  me: rate('me'),
  'me-1': rate('me-1'),
  'me-64': rate('me-64'),
  discovery: rate('discovery'),
  passkey: { seconds: 90, run: (world, say) => passkeyLogins(world, { rounds: 5, seconds: 3 }, say) },
  'two-step': { seconds: 90, run: (world, say) => twoSteps(world, { rounds: 5, seconds: 3 }, say) },
  provider: { seconds: 60, run: (world, say) => providerLogins(world, { rounds: 5, seconds: 3 }, say) },
  saturated: { seconds: 60, run: (world, say) => saturated(world, 5, 3, say) },
  overload: { seconds: 100, run: (world, say) => overload(world, 3, 6, say) },
  fair: { seconds: 60, run: (world, say) => fair(world, 3, 6, say) },
  workers: { seconds: 110, run: (world, say) => workers(world, 3, 3, say) },
  revocations: { seconds: 190, run: (world, say) => revocations(world, 3, 5, say) },
  'start-up': { seconds: 60, run: (world, say) => startUp(world, 5, say) },
  databases: { seconds: 540, run: databases },
  peers: {
    seconds: 200,
    onlyIfChosen: true,
    run: (world, say) => peers(world, { folder: peersFolder, rounds: 3, seconds: 2, warmUpSeconds: 2 }, say),
  },
  // The last one, because it fills the store.
  scale: { seconds: 700, run: (world, say) => scale(world, size, say) },
}

const given = process.argv.slice(2).map((each) => each.split('='))
const requested = given.map(([name = '']) => name)
const peersFolder = given.find(([name]) => name === 'peers')?.[1] ?? ''
const size = Number(given.find(([name]) => name === 'scale')?.[1] ?? 5_000_000)
const unknown = requested.filter((name) => !(name in parts))
if (unknown.length > 0) {
  process.stderr.write(`Unknown part ${unknown.join(', ')}. Use some of ${Object.keys(parts).join(', ')}.\n`)
  process.exit(2)
}
if (requested.includes('peers') && peersFolder === '') {
  process.stderr.write('peers needs the folder in which other servers are installed: peers=FOLDER\n')
  process.exit(2)
}
const chosen = Object.entries(parts).filter(([name, { onlyIfChosen }]) =>
  requested.length === 0 ? !onlyIfChosen : requested.includes(name),
)
const startedAt = performance.now()
const say: Say = (text) => {
  process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}\n`)
}
const total = chosen.reduce((sum, [, { seconds }]) => sum + seconds, 15)
say(`${chosen.map(([name]) => name).join(', ')}: about ${Math.ceil(total / 60)} min`)
const recorded = await readFile(new URL('RESULTS.md', import.meta.url), 'utf8')
const world = await createWorld(availableParallelism())
try {
  for (const [name, part] of chosen) {
    const tables = await part.run(world, (text) => say(`${name}: ${text}`))
    process.stdout.write(
      `## ${name}\n\n${tables}\n\nRecorded (test/lab/bench/RESULTS.md):\n\n${recordOf(name)}\n\n`,
    )
  }
} finally {
  await world.stop()
}

/** Returns the tables of the recorded run. */
function recordOf(name: string) {
  const section = recorded.split(/^## /m).find((text) => text.startsWith(`${name}\n`)) ?? ''
  return section.match(/^\|.*(\n\|.*)*/gm)?.join('\n\n') ?? 'nothing'
}
