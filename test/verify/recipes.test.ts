import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { build, transform } from 'esbuild'
import { expect } from 'vitest'
import type { SigningAlgorithm } from '../../server/store/generated/enums.js'
import { snippetsOf } from '../support/snippets.js'
import { makeAttacks } from './attacks.js'
import { it } from './live.js'

const snippets = (await snippetsOf('docs/verify.md')).filter(({ language }) => language === 'ts')
const recipes = snippets.filter(({ heading }) => heading.startsWith('Node'))

it('docs/verify.md has two recipes for Node', () => {
  expect(recipes.map(({ heading }) => heading)).toEqual(['Node', 'Node with jose'])
})

it('the role in a tenant is known only to its members, if the token contains it', async () => {
  const snippet = snippets.find(({ heading }) => heading === 'The role in a tenant')
  const { code } = await transform(snippet?.code ?? '', { loader: 'ts' })
  const { roleIn } = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`)
  const roles = { a: 'owner' }
  expect(roleIn({ tenants: ['a'], tenant_roles: roles }, 'a')).toBe('owner')
  expect(roleIn({ tenants: ['a', 'constructor'], tenant_roles: roles }, 'constructor')).toBe('member')
  expect(roleIn({ tenants: ['b'], tenant_roles: roles }, 'a')).toBeUndefined()
  expect(roleIn({ tenants: ['a'] }, 'a')).toBeUndefined()
  expect(roleIn({ tenant_roles: roles }, 'a')).toBeUndefined()
})

it('a login is recent if it had two factors and is not too old', async () => {
  const snippet = snippets.find(({ heading }) => heading === 'Sensitive actions')
  const { code } = await transform(snippet?.code ?? '', { loader: 'ts' })
  const { isRecent } = await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`)
  const now = Math.floor(Date.now() / 1000)
  expect(isRecent({ acr: 'aal2', auth_time: now - 30 }, 600)).toBe(true)
  expect(isRecent({ acr: 'aal2', auth_time: now - 601 }, 600)).toBe(false)
  expect(isRecent({ acr: 'aal1', auth_time: now }, 600)).toBe(false)
  expect(isRecent({ auth_time: now }, 600)).toBe(false)
  expect(isRecent({ acr: 'aal2' }, 600)).toBe(false)
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
      const { verifyToken } = await import(/* @vite-ignore */ file)
      const { userId, sub = userId } = await verifyToken(valid)
      expect(sub).toBe(claims.sub)
      for (const [name, token] of Object.entries(attacks)) {
        await expect(verifyToken(token), name).rejects.toThrow()
      }
    }
  },
)
