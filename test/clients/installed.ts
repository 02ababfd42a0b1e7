import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import process from 'node:process'

const require = createRequire(import.meta.url)

/**
 * Whether the packages of this folder are installed. `npm ci` of the root does not install them, `npm run check`
 * does.
 */
export const isInstalled = existsSync(new URL('node_modules/.package-lock.json', import.meta.url))
if (!isInstalled)
  process.stderr.write('Tests that need the packages of test/clients are skipped: run `npm ci` there.\n')

/** Returns a framework that only tests of the verifier use. */
export const loadExpress = (): typeof import('express') => require('express')

/** Returns a library with which only a test of the key set verifies tokens. */
export const loadJsonWebToken = (): typeof import('jsonwebtoken') => require('jsonwebtoken')
