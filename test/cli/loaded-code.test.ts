import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { startChild } from '../support/child.js'
import { freePort } from '../support/postgres-server.js'

const bin = fileURLToPath(new URL('../../server/bin/usher.js', import.meta.url))
const printLoaded = new URL('../support/print-loaded.js', import.meta.url).href

/** Returns the packages of which a command loads a module or a native addon. */
async function packagesLoadedBy(command: string, env: Record<string, string> = {}) {
  const args = ['--import', printLoaded, bin, ...command.split(' ')]
  const { stderr } = await startChild(process.execPath, args, env).ended
  return [
    ...new Set(
      [...stderr.matchAll(/^loaded .*node_modules\/((?:@[^/]+\/)?[^/]+)/gm)].map(([, name]) => name),
    ),
  ]
}

it('usher --help loads only the parser of the command line', async () => {
  expect(await packagesLoadedBy('--help')).toEqual(['@commander-js/extra-typings', 'commander'])
})

it('a command on a Postgres store loads no embedded store, no server and no native code', async () => {
  const packages = await packagesLoadedBy('database list', {
    DATABASE_URL: `postgresql://postgres@127.0.0.1:${await freePort()}/usher`,
    USHER_MASTER_KEY: Buffer.alloc(32).toString('base64'),
  })
  expect(packages).toContain('pg')
  const unused = /pglite|fs-native-extensions|argon2|bcrypt|fastify|prom-client/
  expect(packages.filter((name) => name && unused.test(name))).toEqual([])
})
