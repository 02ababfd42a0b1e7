import { availableParallelism } from 'node:os'
import { type Operation, operations, rates } from './rates.js'
import { startUp } from './start-up.js'
import { createWorld } from './world.js'

// Compares Usher with the smallest program that does the same work, and with the built checkout in another folder:
// npm run bench [-- PART … before=FOLDER]. Servers, load and Postgres share the machine, so only ratios within a run are meaningful.
// Run nothing else at the same time.

/** Prints a line about the progress. */
export type Say = (text: string) => void

const parts = [...operations, 'start-up'] as const
const given = process.argv.slice(2)
const before = given.find((each) => each.startsWith('before='))?.slice('before='.length)
const requested = given.filter((each) => !each.includes('='))
const unknown = requested.filter((name) => !(parts as readonly string[]).includes(name))
if (unknown.length > 0) {
  process.stderr.write(`Unknown part ${unknown.join(', ')}. Use some of ${parts.join(', ')}.\n`)
  process.exit(2)
}
const startedAt = performance.now()
const say: Say = (text) => {
  process.stderr.write(`${((performance.now() - startedAt) / 1000).toFixed(0).padStart(4)} s  ${text}\n`)
}
const world = await createWorld(availableParallelism(), before)
try {
  for (const name of parts) {
    if (requested.length > 0 && !requested.includes(name)) continue
    const sayOfPart: Say = (text) => say(`${name}: ${text}`)
    const rounds = { rounds: 5, seconds: 3 }
    const result =
      name === 'start-up' ? startUp(world, 5, sayOfPart) : rates(world, name as Operation, rounds, sayOfPart)
    process.stdout.write(`## ${name}\n\n${await result}\n\n`)
  }
} finally {
  await world.stop()
}
