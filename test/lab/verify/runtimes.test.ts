import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { expect, vi } from 'vitest'
import { freePort } from '../../support/postgres-server.js'
import { makeAttacks } from '../../verify/attacks.js'
import { it as liveTest } from '../../verify/live.js'
import { report } from '../form.js'
import { runCommand } from './recipes.js'

const { platform, arch } = process
const workerdArch = arch === 'x64' ? '64' : arch
const libc = platform === 'linux' ? '-glibc' : ''

/** Runtimes whose binaries npm has as packages. */
const runtimes = [
  { name: 'Node 20', package: `node-${platform}-${arch}@20.19.0`, run: ['bin/node', 'program.mjs'] },
  { name: 'Node 22', package: `node-${platform}-${arch}@22.23.3`, run: ['bin/node', 'program.mjs'] },
  { name: 'Node 24', package: `node-${platform}-${arch}@24.21.0`, run: ['bin/node', 'program.mjs'] },
  { name: 'Bun', package: `@oven/bun-${platform}-${arch}@1.4.5`, run: ['bin/bun', 'program.mjs'] },
  {
    name: 'Deno',
    package: `@deno/${platform}-${arch}${libc}@2.9.6`,
    run: ['deno', 'run', '--allow-net', 'program.mjs'],
  },
] as const
const workerd = `@cloudflare/workerd-${platform}-${workerdArch}@1.20261117.1`

const it = liveTest
  /** Installs a runtime into a temporary folder with the program. Skips the test if npm cannot install it. */
  .extend('install', ({ skip }, { onCleanup }) => async (name: string, code: string) => {
    const folder = await mkdtemp(join(tmpdir(), 'usher-runtime-'))
    onCleanup(() => rm(folder, { recursive: true }))
    const install = ['npm', 'install', '--no-save', '--ignore-scripts', '--prefix', folder, name] as const
    await runCommand(install, folder).catch((error) => skip(`npm cannot install ${name}: ${error}`))
    const { outputFiles } = await build({
      stdin: { contents: code, resolveDir: resolve('test/verify') },
      bundle: true,
      conditions: ['@usher/source'],
      format: 'esm',
      target: 'es2022',
      write: false,
    })
    await writeFile(join(folder, 'program.mjs'), outputFiles[0]?.contents ?? '')
    return { folder, bin: join(folder, 'node_modules', name.slice(0, name.lastIndexOf('@'))) }
  })
  /** A program that verifies tokens of the server: 20 times a valid one in parallel, and the attacks. */
  .extend('program', async ({ usher, origin, clock }) => {
    clock.now = Date.now()
    const all = []
    for (const algorithm of ['ES256', 'RS256', 'EdDSA'] as const) {
      const { database, valid, attacks } = await makeAttacks(usher, algorithm)
      const { workspaceSlug: workspace, databaseName } = database
      all.push({ options: { baseUrl: origin, workspace, database: databaseName }, valid, attacks })
    }
    return `import { createVerifier } from '@usher/verify'
const cases = ${JSON.stringify(all)}.map((each) => ({ ...each, verifier: createVerifier({ ...each.options, ...more }) }))
const codeOf = async ({ verify }, token) => (await verify(token)).error?.code ?? 'accepted'
export async function results() {
  const found = []
  for (const { verifier, valid, attacks } of cases) {
    const tokens = [...Array(20).fill(valid), ...Object.values(attacks)]
    found.push(await Promise.all(tokens.map((token) => codeOf(verifier, token))))
    found.push([(await verifier.fetchTenants(valid)).data.length])
  }
  return JSON.stringify(found)
}
`
  })

/** The results of the program for each algorithm. */
const expected = Array.from({ length: 3 }, () => [
  [
    ...Array(20).fill('accepted'),
    ...Array(6).fill('token_invalid'),
    'token_expired',
    ...Array(10).fill('token_invalid'),
  ],
  [1],
]).flat()

it.for(runtimes)('verifies tokens on $name', async ({ name, package: binary, run }, { install, program }) => {
  const { folder, bin } = await install(binary, `const more = {}\n${program}\nconsole.log(await results())`)
  const [file, ...args] = run
  expect(JSON.parse(await runCommand([join(bin, file), ...args], folder))).toEqual(expected)
  report(`${name}: verified`)
})

it('verifies tokens on workerd, in concurrent requests', async ({ install, program, onTestFinished }) => {
  // A HEAD request finds out whether the server runs, and fetches no keys.
  // The key set takes so long that all requests need it while the first one fetches it, and a request can end before.
  const code = `let aheadMs = 0
const more = {
  now: () => Date.now() + aheadMs,
  fetch: async (url, init) => {
    await scheduler.wait(200)
    return fetch(url, init)
  },
}
${program}
export default {
  async fetch({ method, url }) {
    if (method === 'HEAD') return new Response()
    const { pathname } = new URL(url)
    if (pathname === '/all') return new Response(await results())
    aheadMs = Number(pathname.slice(1))
    return new Response(await codeOf(cases[0].verifier, cases[0].valid))
  },
}`
  const { folder, bin } = await install(workerd, code)
  const port = await freePort()
  await writeFile(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "program.mjs", esModule = embed "program.mjs")],
      compatibilityDate = "2024-09-01",
    )),
    (name = "internet", network = (allow = ["private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`,
  )
  const server = spawn(join(bin, 'bin/workerd'), ['serve', 'config.capnp'], { cwd: folder, stdio: 'inherit' })
  onTestFinished(async () => {
    server.kill('SIGKILL')
    await once(server, 'close')
  })
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()
  await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/`, { method: 'HEAD' }), { timeout: 20_000 })
  const responses = await Promise.all(Array.from({ length: 10 }, () => get('/all')))
  for (const text of responses) expect(JSON.parse(text)).toEqual(expected)
  // The request at 150 s refreshes the keys, which that at 300 s needs.
  for (const aheadMs of [0, 150_000, 300_000]) expect(await get(`/${aheadMs}`)).toBe('accepted')
  report('workerd: verified')
})
