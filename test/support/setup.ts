import { aroundAll } from 'vitest'
import { killChildren } from './child.js'

// Runs for each test file, after its fixtures have ended, also when files share a process.
aroundAll(async (runFile) => {
  await runFile()
  await killChildren()
})
