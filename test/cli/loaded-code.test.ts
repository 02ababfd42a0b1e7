import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { password } from '../support/app.js'
import { startChild } from '../support/child.js'
import { freePort } from '../support/postgres-server.js'
import { it } from '../support/served-store.js'

const bin = fileURLToPath(new URL('../../server/bin/usher.js', import.meta.url))
const printLoaded = new URL('./print-loaded.js', import.meta.url).href

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

it('a server loads neither Prisma, which takes 45 MB, nor code that no request has needed', async ({
  env,
}) => {
  const port = await freePort()
  const server = startChild(process.execPath, ['--import', printLoaded, bin, 'serve'], {
    ...env,
    PORT: String(port),
    WORKERS: '1',
  })
  await server.printed('Server listening')
  const users = `http://localhost:${port}/workspaces/demo/databases/app/users`
  const post = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com', password }),
  }
  const { token } = await (await fetch(users, post)).json()
  const statuses = [
    await fetch(`${users}/login`, post),
    await fetch(`${users}/me`, { headers: { authorization: `Bearer ${token.jwt}` } }),
    await fetch(`http://localhost:${port}/readyz`),
    await fetch(users.replace(/users$/, 'connections')),
  ].map(({ status }) => status)
  server.signal('SIGTERM')
  const { stderr } = await server.ended
  expect(statuses).toEqual([200, 200, 200, 200])
  expect(stderr).toMatch(/^loaded .*fastify/m)
  const unused =
    /^loaded .*(@prisma\/client\/|nodemailer|swagger|openapi3-ts|ajv\/|pino-pretty|prom-client|otpauth|@simplewebauthn|@peculiar|node_modules\/jose\/).*/gm
  expect(stderr.match(unused)).toBeNull()
  // Without a console.
  expect(stderr.match(/^loaded .*contract\/dist\/operator.*/gm)).toBeNull()
})
