import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { expect } from 'vitest'
import type { SigningAlgorithm } from '../../server/store/generated/enums.js'
import { snippetsOf } from '../support/snippets.js'
import { makeAttacks } from './attacks.js'
import { it } from './live.js'

const recipes = (await snippetsOf('docs/verify.md')).filter(({ language }) => language === 'ts')

it('docs/verify.md has two recipes for Node', () => {
  expect(recipes.map(({ heading }) => heading)).toEqual(['Node', 'Node with jose'])
})

it.for(recipes)(
  'the recipe $heading accepts tokens of each algorithm, and refuses every attack on them',
  async ({ code }, { usher, origin, clock, onTestFinished }) => {
    clock.now = Date.now()
    const folder = await mkdtemp(resolve('node_modules', '.usher-recipe-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    for (const algorithm of ['ES256', 'RS256', 'EdDSA'] satisfies SigningAlgorithm[]) {
      const { database, valid, attacks, claims } = await makeAttacks(usher, algorithm)
      const { outputFiles } = await build({
        stdin: {
          contents: code
            .replaceAll('http://localhost:3000', origin)
            .replace(
              'workspaces/demo/databases/app',
              `workspaces/${database.path.replace('/', '/databases/')}`,
            )
            .replace("workspace: 'demo'", `workspace: '${database.workspaceSlug}'`)
            .replace("database: 'app'", `database: '${database.databaseName}'`),
          loader: 'ts',
          resolveDir: resolve('test/verify'),
        },
        bundle: true,
        conditions: ['@usher/source'],
        platform: 'node',
        format: 'esm',
        write: false,
      })
      const file = join(folder, `${algorithm}.mjs`)
      await writeFile(file, outputFiles[0]?.contents ?? '')
      const { userOf } = await import(/* @vite-ignore */ file)
      expect(await userOf(valid)).toBe(claims.sub)
      for (const [name, token] of Object.entries(attacks)) {
        await expect(userOf(token), name).rejects.toThrow()
      }
    }
  },
)
