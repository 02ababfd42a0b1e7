import { execFile, spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { env } from 'node:process'
import { promisify } from 'node:util'
import { expect, test, vi } from 'vitest'
import { startChild } from '../support/child.js'
import { freePort } from '../support/postgres-server.js'
import { createDataFolder } from '../support/store.js'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const run = promisify(execFile)
const isRegistryReachable =
  spawnSync('npm', ['view', 'zod', 'version', '--fetch-retries=0', '--fetch-timeout=5000']).status === 0
if (!isRegistryReachable)
  process.stderr.write('The npm registry is unreachable: the packages are not installed.\n')

const { version } = JSON.parse(await readFile('package.json', 'utf8'))

const [, commands = '', serve = ''] =
  /^```sh\nnpm ci && npm run pack\n(.*?)^(\S+ serve)\n```$/ms.exec(await readFile('README.md', 'utf8')) ?? []

const npmSettings = {
  ...env,
  npm_config_audit: 'false',
  npm_config_engine_strict: 'true',
  npm_config_prefer_offline: 'true',
}

/** `it` with a folder that has the packages as `npm run pack` writes them, without building them again. */
const it = test
  .extend('packages', { scope: 'file' }, ['contract', 'sdk', 'server', 'verify'])
  .extend('folder', { scope: 'file' }, async ({ packages }, { onCleanup }) => {
    const parent = await mkdtemp(join(tmpdir(), 'usher-packages-'))
    onCleanup(() => rm(parent, { recursive: true }))
    const folder = join(parent, 'usher')
    await mkdir(folder)
    const workspaces = packages.map((name) => `--workspace=${name}`)
    await run('npm', ['pack', '--ignore-scripts', `--pack-destination=${folder}`, ...workspaces])
    return folder
  })
  // What npm writes while an application runs the commands of README.
  .extend('npmOutput', { scope: 'file' }, ({ folder }) =>
    run('sh', ['-ec', commands], { cwd: folder, env: npmSettings }),
  )
  .extend('app', { scope: 'file' }, ({ folder, npmOutput: _ }) => resolve(folder, '../my-app'))

const filesOf = async (archive: string) => {
  const { stdout } = await run('tar', ['tf', archive])
  return stdout
    .trimEnd()
    .split('\n')
    .map((file) => file.replace('package/', ''))
}

it('packs no sources, tests or build information', async ({ folder, packages }) => {
  for (const name of packages) {
    const files = await filesOf(join(folder, `usher-${name}-${version}.tgz`))
    expect(files).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts']),
    )
    const expected =
      /^(LICENSE|[\w-]+\.(md|json)|bin\/usher\.js|dist\/.*(\.c?js|\.css|\.d\.c?ts|migrations\/.*|domain\/mail\/texts\/\w+\.txt|console\/(index\.html|licences\.md)))$/
    expect(files.filter((file) => !expected.test(file) || file.includes('test.'))).toEqual([])
  }
})

it('packs the migrations and the client of the store with the server', async ({ folder }) => {
  const files = await filesOf(join(folder, `usher-server-${version}.tgz`))
  const migrations = (await readdir('prisma/migrations')).filter((name) => /^\d/.test(name))
  expect(migrations.length).toBeGreaterThan(0)
  expect(files).toEqual(
    expect.arrayContaining([
      ...migrations.map((name) => `dist/migrations/${name}/migration.sql`),
      'dist/store/generated/client.js',
      'dist/testing/index.js',
      'dist/domain/mail/texts/de.txt',
      'dist/domain/passwords/hash-worker.js',
    ]),
  )
})

it.skipIf(!isRegistryReachable)(
  'npm installs and lists the packages without a conflict on this version of Node',
  async ({ app, npmOutput: { stderr } }) => {
    expect(stderr).not.toMatch(/ERESOLVE|EBADENGINE|deprecated/)
    // Fails if a package is missing, or is not of a version that another one requires.
    await run('npm', ['ls', '--all'], { cwd: app })
  },
)

it.skipIf(!isRegistryReachable)(
  'the commands of README install the packages, and start a server',
  async ({ app, onTestFinished }) => {
    const port = String(await freePort())
    const script = `cd '${app}' && exec ${serve}`
    // How a first start creates its files is tested in process/serve.test.ts.
    const DATA_DIR = await createDataFolder()
    onTestFinished(() => rm(DATA_DIR, { recursive: true }))
    const server = startChild('sh', ['-c', script], { PORT: port, DATA_DIR })
    await server.printed('Server listening')

    const names = { baseUrl: `http://localhost:${port}`, workspace: 'demo', database: 'app' }
    const use = `
      const client = createClient(${JSON.stringify(names)})
      const body = { email: Date.now() + '@example.com', password: 'correct horse battery' }
      const signUp = await client.createUser(body)
      const login = await client.login(body)
      const me = await client.me()
      const verified = await createVerifier(${JSON.stringify(names)}).verify(client.token)
      console.log([login, me].every(({ data }) => data.id === signUp.data.id), verified.data.userId === me.data.id)`
    const scripts = {
      module: `import { createClient } from '@usher/sdk'
        import { createVerifier } from '@usher/verify'
        ${use}`,
      commonjs: `const { createClient } = require('@usher/sdk')
        const { createVerifier } = require('@usher/verify')
        void (async () => {${use}})()`,
    }
    for (const [type, code] of Object.entries(scripts)) {
      const { stdout, stderr } = await run(process.execPath, [`--input-type=${type}`, '-e', code], {
        cwd: app,
      })
      expect(stdout + stderr, type).toBe('true true\n')
    }
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('draining') })
  },
)

it.skipIf(!isRegistryReachable)('installed packages start a server inside a test', async ({ app }) => {
  // They use the store that the global setup has initialized, because their migrations are the same.
  await cp('server/.cache', join(app, 'node_modules/@usher/server/.cache'), { recursive: true })
  const code = `import { startUsher } from '@usher/server/testing'
    const { baseUrl, stop } = await startUsher()
    console.log((await fetch(baseUrl + '/readyz')).status)
    await stop()`
  const script = `cd '${app}' && exec node --input-type=module -e "$CODE"`
  expect((await startChild('sh', ['-c', script], { CODE: code }).ended).stdout).toBe('200\n')
})

it.skipIf(!isRegistryReachable)('the contract needs none of the other packages', async ({ app }) => {
  const alone = resolve(app, '../contract')
  const from = join(app, 'node_modules')
  const to = join(alone, 'node_modules')
  await cp(join(from, '@usher/contract'), join(to, '@usher/contract'), { recursive: true })
  const { dependencies } = JSON.parse(await readFile(join(to, '@usher/contract/package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    await mkdir(dirname(join(to, name)), { recursive: true })
    await symlink(join(from, name), join(to, name), 'junction')
  }
  expect(await readdir(join(to, '@usher'))).toEqual(['contract'])
  const code = `const { users } = require('@usher/contract')
    console.log(Object.keys(users).join(), require('@usher/contract/openapi.json').openapi)`
  const { stdout } = await run(process.execPath, ['--input-type=commonjs', '-e', code], { cwd: alone })
  expect(stdout).toMatch(/^createUser,\w.* 3\.1\.\d\n$/)
})
