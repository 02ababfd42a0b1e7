import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'

// npm run lab -- mutants [FOLDER TEST …]
// FOLDER may also be files, and lines of files: 'server/config.ts:20-30 server/environment.ts'
// MUTANT_COVERAGE=all runs all of the tests for each mutant, not only those that execute it.

const here = fileURLToPath(new URL('.', import.meta.url))
const [folder = 'server/domain/throttle', ...tests] = process.argv.slice(2)

const api = ['test/api/*.test.ts']
/** Tests in one process of the rules of a folder. */
const usualTests = {
  'server/domain/throttle': [
    'test/api/{throttle,guessing,mail-limits}.test.ts',
    'test/domain/{throttle-model,turnstile,network}.test.ts',
  ],
  'server/domain/outbox': ['test/outbox/{delivery,webhooks,backlog}.test.ts'],
  'server/domain': [
    ...api,
    'test/domain/!(verified-tokens).test.ts',
    'test/outbox/{delivery,webhooks}.test.ts',
  ],
  'server/store/queries': [...api, 'test/store/{statements,others-rows,sweep}.test.ts'],
  'server/http': [...api, 'test/http/*.test.ts'],
}

const run = (args, settings = {}) =>
  spawnSync(process.execPath, args, { stdio: 'inherit', env: { ...env, ...settings } }).status ?? 1

if (!existsSync(`${here}node_modules`)) {
  const { status } = spawnSync('npm', ['ci'], { cwd: here, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
const chosen = tests.length > 0 ? tests : (usualTests[folder] ?? api)
const stryker = [
  `${here}node_modules/@stryker-mutator/core/bin/stryker.js`,
  'run',
  `${here}stryker.config.js`,
]
process.exitCode = run(stryker, { MUTATED: folder, MUTANT_TESTS: chosen.join(' ') })
