// Runs the linters of test/clients, which are apart from the packages of the root. Installs them first if needed.
import { spawnSync } from 'node:child_process'
import { lstatSync } from 'node:fs'

const changedAt = (file) => lstatSync(`test/clients/${file}`, { throwIfNoEntry: false })?.mtimeMs ?? 0

if (changedAt('node_modules/.package-lock.json') < changedAt('package-lock.json')) {
  const { status } = spawnSync('npm', ['ci'], {
    cwd: 'test/clients',
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0)
    throw new Error('The linters are missing: run `npm ci` in test/clients when npm can reach its registry.')
}
await import('../test/clients/lint-openapi.js')
