import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/is-built.js', import.meta.url))
const sources = ['contract', 'sdk', 'verify', 'prisma', 'scripts', 'server/store'].map(
  (folder) => `${folder}/a.ts`,
)
const all = [...sources, 'package-lock.json', 'server/dist/a.js', 'server/store/generated/client.ts']

async function createTree() {
  const folder = await mkdtemp(join(tmpdir(), 'usher-tree-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const file of all) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), '')
  }
  const age = async (path: string, seconds: number) => {
    const time = Date.now() / 1000 - seconds
    await utimes(join(folder, path), time, time)
  }
  for (const file of all) {
    await age(file, 100)
    for (let path = dirname(file); path !== '.'; path = dirname(path)) await age(path, 100)
  }
  return {
    folder,
    age,
    isBuilt: () => spawnSync(process.execPath, [script], { cwd: folder }).status === 0,
    async build() {
      await mkdir(join(folder, 'server/dist/migrations'))
      await age('server/dist/migrations', 50)
    },
  }
}

it('a fresh clone is not built', async () => {
  const tree = await createTree()
  expect(tree.isBuilt()).toBe(false)
})

it('a built tree is built, whatever changes in the output', async () => {
  const tree = await createTree()
  await tree.build()
  await tree.age('server/dist/a.js', 10)
  await tree.age('server/store/generated/client.ts', 10)
  expect(tree.isBuilt()).toBe(true)
})

it.for([...sources, 'package-lock.json'])('a tree is not built after a change of %s', async (file) => {
  const tree = await createTree()
  await tree.build()
  await tree.age(file, 10)
  expect(tree.isBuilt()).toBe(false)
})

it('a tree is not built after a source was deleted', async () => {
  const tree = await createTree()
  await tree.build()
  await rm(join(tree.folder, 'contract/a.ts'))
  expect(tree.isBuilt()).toBe(false)
})
