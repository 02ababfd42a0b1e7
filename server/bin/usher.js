#!/usr/bin/env node
import module from 'node:module'
import { fileURLToPath } from 'node:url'

// From Node 22.1 on. Not in the shared temp folder, where others could put code.
module.enableCompileCache?.(fileURLToPath(new URL('../.cache', import.meta.url)))

await import('../dist/cli/main.js')
