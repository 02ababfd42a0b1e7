import { existsSync } from 'node:fs'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, vi } from 'vitest'
import { usher } from '../support/child.js'
import { startInstance } from '../support/instances.js'
import { nextMigration, writeMigration } from '../support/migration.js'
import { it as deploymentTest } from './deployment.js'
import { startTraffic } from './traffic.js'

// It starts six servers one after the other.
vi.setConfig({ testTimeout: 120_000 })

const it = deploymentTest
  .extend('servers', { scope: 'file' }, 2)
  .extend('root', { scope: 'file' }, fileURLToPath(new URL('../../', import.meta.url)))
  /** Path of the built command line of a version with an additional migration. */
  .extend('nextVersion', { scope: 'file' }, async ({ root }, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'usher-next-'))
    onCleanup(() => rm(folder, { recursive: true }))
    for (const part of ['bin', 'dist', 'package.json']) {
      await cp(join(root, 'server', part), join(folder, 'server', part), { recursive: true })
    }
    for (const modules of ['node_modules', 'server/node_modules'])
      if (existsSync(join(root, modules))) await symlink(join(root, modules), join(folder, modules))
    await writeMigration(join(folder, 'server/dist/migrations'), nextMigration.name, nextMigration.sql)
    return join(folder, 'server/bin/usher.js')
  })

it('a rolling upgrade under load fails no request while its migrations run before its servers start', async ({
  deployment,
  nextVersion,
}) => {
  const { base, env, replace } = deployment
  await expect(startInstance(env, undefined, nextVersion)).rejects.toThrow('Run: npx @usher/server migrate')
  const traffic = startTraffic(base)
  await traffic.more()
  const migrated = await usher(['migrate', '--json'], env, nextVersion)
  expect(migrated).toMatchObject({ code: 0, stdout: `{"applied":["${nextMigration.name}"]}\n` })
  // A server of the old version can still restart after the migrations.
  await replace(1, traffic.more)
  await replace(2, traffic.more, nextVersion)
  expect((await traffic.end()).users).toBeGreaterThan(50)
  const plans = await deployment.store.prisma.$queryRaw`SELECT DISTINCT plan FROM usher.tenant`
  expect(plans).toEqual([{ plan: 'free' }])
})
