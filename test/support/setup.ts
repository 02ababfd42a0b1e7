import { afterAll } from 'vitest'
import { killChildren } from './child.js'

// Runs for each test file, also where files share a process.
afterAll(killChildren)
