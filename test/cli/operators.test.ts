import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { cheapHashes } from '../../server/testing/cheap-hashes.js'
import { startChild } from '../support/child.js'
import { openConsole, operatorPassword } from '../support/console.js'
import { it } from '../support/operator.js'
import { freePort } from '../support/postgres-server.js'
import { createDataFolder } from '../support/store.js'

const bin = fileURLToPath(new URL('../../server/bin/usher.js', import.meta.url))

it('operators are added, reset and removed on the host', async ({ usher }) => {
  expect(await usher.outcome('operator list')).toBe('0 No operators.\n')
  const added = await usher.json('operator add ada@example.com')
  expect(added.operator.rights).toEqual([{ workspace: null, role: 'owner' }])
  expect(added.link).toMatch(/^http:\/\/localhost:3000\/console\/reset-password#code=/)
  const console = await openConsole(usher as never)
  const choose = async (link: string) => {
    // Later than what a command has just written.
    usher.clock.now = Date.now() + 60_000
    const [, code] = link.split('#code=')
    const reset = await console.post('password-reset/confirm', { code, newPassword: operatorPassword })
    expect(reset.statusCode).toBe(200)
  }
  await choose(added.link)
  const ada = await console.enrol('ada@example.com')
  expect((await ada.send('GET', '/operator/me')).statusCode).toBe(200)

  await usher.operator('workspace create acme')
  const again = await usher.json('operator add ada@example.com --workspace acme --role support')
  expect(again.link).toBeNull()
  expect(await usher.outcome('operator list')).toContain('owner, support of acme')
  expect(await usher.outcome('operator add eve@example.com --workspace none')).toContain('3 ')
  expect(await usher.outcome('operator remove ada@example.com')).toContain('needs an owner')

  const path = 'usher/operators'
  expect(await usher.outcome(`user delete ${path} ada@example.com --yes`)).toContain('needs an owner')
  const tenant = console.database.id
  expect(await usher.outcome(`tenant delete ${path} ${tenant} --yes`)).toContain('keeps the tenants')
  const deletion = { password: operatorPassword, confirmation: await ada.confirm() }
  const own = await ada.send('POST', `${console.users}/me/deletion`, deletion)
  expect(own.json().code, own.body).toBe('last_owner')

  const { factors, link } = await usher.json('operator reset ada@example.com')
  expect(factors).toBe(1)
  expect((await ada.send('GET', '/operator/me')).json().code).toBe('token_invalid')
  await choose(link)
  await console.enrol('ada@example.com')

  expect((await usher.operator('operator add grace@example.com')).stdout).toMatch(
    /#code=\S+\nThe server has no console\. Set CONSOLE=on first\.\n$/,
  )
  expect(await usher.json('operator remove ada@example.com')).toEqual({})
  expect(await usher.outcome('operator reset ada@example.com')).toContain('is not an operator')
  expect(await usher.outcome(`database delete usher/operators --yes`)).toContain('cannot be deleted')
  expect(await usher.outcome('database set usher/operators --second-factor off')).toContain('cannot change')
  const key = '--name backend --scope users:read'
  expect(await usher.outcome(`api-key create usher/operators ${key}`)).toContain('has no API keys')
  expect(await usher.outcome('tenant create usher/operators Own')).toContain('tenants of its rights')
})

it('the first start writes a link for the first operator into a file that only its user reads', async () => {
  const DATA_DIR = await createDataFolder()
  onTestFinished(() => rm(DATA_DIR, { recursive: true }))
  const PORT = String(await freePort())
  const start = async () => {
    const server = startChild(process.execPath, [bin, 'serve'], { DATA_DIR, PORT, ...cheapHashes })
    await server.printed('Sign up, log in')
    return server
  }
  const stop = async (server: Awaited<ReturnType<typeof start>>) => {
    server.signal('SIGTERM')
    return (await server.ended).stderr
  }
  const server = await start()
  await server.printed('Console  ')
  const file = join(DATA_DIR, 'console-link')
  const link = (await readFile(file, 'utf8')).trim()
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(link).toMatch(new RegExp(`^http://localhost:${PORT}/console/setup#code=`))
  const created = await fetch(`http://localhost:${PORT}/operator/first-operator`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      code: link.split('#code=')[1],
      email: 'ada@example.com',
      password: operatorPassword,
    }),
  })
  expect(created.status).toBe(201)
  expect(await stop(server)).not.toContain('#code=')
  expect(await stop(await start())).not.toContain('Console  ')
})
