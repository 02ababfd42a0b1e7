import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test, vi } from 'vitest'
import { startChild } from '../support/child.js'

vi.setConfig({ testTimeout: 120_000 })

const text = await readFile('docs/testing.md', 'utf8')

/** `it` with a folder that has the files of docs/testing.md. */
const it = test
  .extend('files', { scope: 'file' }, [...text.matchAll(/^```\w+\n\/\/ (\S+)\n(.*?)^```$/gms)])
  .extend('folder', { scope: 'file' }, async ({ files }, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'usher-testing-'))
    onCleanup(() => rm(folder, { recursive: true }))
    await symlink(resolve('node_modules'), join(folder, 'node_modules'), 'junction')
    await writeFile(join(folder, 'package.json'), '{ "name": "app", "private": true, "type": "module" }')
    for (const [, name = '', code = ''] of files) await writeFile(join(folder, name), code)
    return folder
  })

const run = (...args: string[]) => startChild(process.execPath, args).ended

it('the tests of docs/testing.md pass in Vitest', async ({ folder }) => {
  const vitest = resolve('node_modules/vitest/vitest.mjs')
  const oneProcess = ['--no-isolate', '--no-file-parallelism']
  const args = ['run', '--root', folder, '--exclude', '*.mjs', ...oneProcess]
  const { code, stdout, stderr } = await run(vitest, ...args)
  expect(stdout).toMatch(/Tests .*4 passed/)
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
