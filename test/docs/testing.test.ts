import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startChild } from '../support/child.js'

vi.setConfig({ testTimeout: 120_000 })

const text = await readFile('docs/testing.md', 'utf8')

/** Copies our packages, because Vitest would transform each of their files if they were links to folders outside. */
async function installPackages(modules: string) {
  await mkdir(join(modules, '@usher'), { recursive: true })
  for (const name of await readdir('node_modules'))
    if (name !== '@usher') await symlink(resolve('node_modules', name), join(modules, name), 'junction')
  for (const name of ['contract', 'sdk', 'server', 'verify']) {
    const [from, to] = [resolve('node_modules/@usher', name), join(modules, '@usher', name)]
    for (const part of ['package.json', 'dist'])
      await cp(join(from, part), join(to, part), { recursive: true })
    for (const part of ['.cache', 'node_modules'])
      if (existsSync(join(from, part))) await symlink(join(from, part), join(to, part), 'junction')
  }
}

/** `it` with a folder that has the files of docs/testing.md. */
const it = test
  .extend('files', { scope: 'file' }, [...text.matchAll(/^```\w+\n\/\/ (\S+)\n(.*?)^```$/gms)])
  .extend('folder', { scope: 'file' }, async ({ files }, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'usher-testing-'))
    onCleanup(() => rm(folder, { recursive: true }))
    await installPackages(join(folder, 'node_modules'))
    await writeFile(join(folder, 'package.json'), '{ "name": "app", "private": true, "type": "module" }')
    for (const [, name = '', code = ''] of files) await writeFile(join(folder, name), code)
    return folder
  })

const run = (...args: string[]) => startChild(process.execPath, args).ended

it('the tests of docs/testing.md pass in Vitest', async ({ folder }) => {
  const vitest = resolve('node_modules/vitest/vitest.mjs')
  const oneProcess = ['--no-isolate', '--no-file-parallelism']
  // For busy machines: the default is 5 s.
  const args = ['run', '--root', folder, '--exclude', '*.mjs', '--testTimeout=60000', ...oneProcess]
  const { code, stdout, stderr } = await run(vitest, ...args)
  expect(stdout).toMatch(/Tests .*5 passed/)
  expect(code, stderr).toBe(0)
})

it('the test of docs/testing.md passes in node:test', async ({ folder }) => {
  const { code, stdout, stderr } = await run(
    '--test',
    '--test-reporter=tap',
    join(folder, 'backend.test.mjs'),
  )
  expect(stdout).toContain('# pass 1\n')
  expect(code, stderr).toBe(0)
})

it('the files of docs/testing.md compile', async ({ folder }) => {
  const options = { strict: true, noEmit: true, module: 'nodenext', target: 'es2023', types: ['node'] }
  const config = { compilerOptions: { ...options, skipLibCheck: true }, include: ['*.ts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { stdout } = await run(resolve('node_modules/typescript/bin/tsc'), '-p', folder)
  expect(stdout).toBe('')
})
