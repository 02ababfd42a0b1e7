import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

// Exits with 0 if nothing that the build reads has changed since the last one, so that `npm start` need not build.

const inputs = ['contract', 'server', 'sdk', 'verify', 'prisma', 'scripts']
const files = ['package.json', 'package-lock.json', 'prisma.config.ts', 'tsconfig.json', 'tsconfig.base.json']
const outputs = new Set(['dist', 'generated', 'node_modules'])

const changedAt = (path) => lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** The time of a folder shows when a file was deleted from it. */
function* timesOf(folder) {
  yield changedAt(folder)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (outputs.has(entry.name)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* timesOf(path)
    else yield changedAt(path)
  }
}

// The last step of the build makes this folder.
const builtAt = changedAt('server/dist/migrations')
const newest = Math.max(...files.map(changedAt), ...inputs.flatMap((folder) => [...timesOf(folder)]))
process.exitCode = builtAt > newest ? 0 : 1
