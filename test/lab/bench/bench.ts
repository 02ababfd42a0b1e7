import { availableParallelism } from 'node:os'
import { beside } from './beside.js'
import { overload } from './overload.js'
import { rates } from './rates.js'
import { startUp } from './start-up.js'
import { createWorld } from './world.js'

// Compares Usher with the smallest program that does the same work: npm run lab -- bench [PART …].
// Server, load and Postgres share the machine, so only ratios within a run are meaningful. Run nothing else meanwhile.

const parts = {
  rates: () => rates(world, 5, 3),
  beside: () => beside(world, 5, 3),
  overload: () => overload(world, 3, 6),
  'start-up': () => startUp(world, 5),
}
const chosen = process.argv.slice(2)
const world = await createWorld(availableParallelism())
try {
  for (const [name, part] of Object.entries(parts)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue
    process.stdout.write(`## ${name}\n\n${await part()}\n\n`)
  }
} finally {
  await world.stop()
}
