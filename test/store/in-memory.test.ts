import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, it, vi } from 'vitest'
import { loadTemplate } from '../../server/store/in-memory.js'

it('a process that starts servers in tests uses the store that an earlier one has initialized', async () => {
  const create = vi.fn()
  const template = await loadTemplate(undefined, create)
  expect(create).not.toHaveBeenCalled()
  expect(template.size).toBe((await readFile(inject('embeddedTemplate'))).length)
})

it('an initialized store is kept as a whole, and used without being kept if the folder cannot be written', async ({
  onTestFinished,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'usher-template-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const create = vi.fn(async () => new Blob(['files']))
  for (let start = 0; start < 2; start++)
    expect(await (await loadTemplate(join(folder, 'new'), create)).text()).toBe('files')
  expect(create).toHaveBeenCalledTimes(1)
  expect(await readdir(join(folder, 'new'))).toEqual([expect.stringMatching(/^store-[\da-f]{16}\.tar$/)])
  const file = join(folder, 'file')
  await writeFile(file, '')
  expect(await (await loadTemplate(file, create)).text()).toBe('files')
})
