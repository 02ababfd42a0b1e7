import fc from 'fast-check'
import { aroundAll, inject, vi } from 'vitest'
import { killChildren } from './child.js'
import './liftoff.js'
import './patience.js'

// The short form finds the same on every machine. The long form looks for new cases.
if (!inject('isLab')) fc.configureGlobal({ seed: 1 })

// Runs for each test file, after its fixtures have ended, also when files share a process.
aroundAll(async (runFile) => {
  await runFile()
  await killChildren()
  // The next file imports its modules before its first test. They must not see what a test of this file has replaced.
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
