import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startChild } from '../support/child.js'

const lint = (...folders: string[]) =>
  startChild('node', ['scripts/lint-regular-expressions.js', ...folders]).ended

it('no regular expression that reads what a stranger sends takes more steps than in proportion to it', async () => {
  expect(await lint()).toMatchObject({ code: 0, stdout: '', stderr: '' })
})

it('a regular expression whose steps grow faster than the text is found', async ({ onTestFinished }) => {
  const folder = await mkdtemp(join(tmpdir(), 'usher-expressions-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const found = [
    '/[^/]*(?:@|%(?:25)*40)[^/]*/gi',
    '/\\d+(?:\\.\\d+){3}/',
    '/^(\\w+\\s?)*$/',
    '/\\{#(\\w+)\\}(.*?)\\{\\/\\1\\}/gs',
  ]
  const code = ['/^[a-z]+$/', '/\\?(.*)/s', ...found].map(
    (each, index) => `export const e${index}: RegExp = ${each}\n`,
  )
  const file = join(folder, 'a.ts')
  await writeFile(file, code.join(''))
  expect(await lint(folder)).toMatchObject({
    code: 1,
    stdout: found.map((each) => `${file}: ${each}\n`).join(''),
  })
})
