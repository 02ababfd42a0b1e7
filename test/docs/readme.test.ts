import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startChild } from '../support/child.js'
import { freePort } from '../support/postgres-server.js'
import { createDataFolder, createPostgresDatabase } from '../support/store.js'

const has = (command: string) => spawnSync(command, ['version']).error === undefined
const scripts = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')).scripts

async function blocksOf(file: string) {
  const text = await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', code = '']) => ({
    language,
    code,
  }))
}
const readme = await blocksOf('README.md')
const api = await blocksOf('docs/api.md')
const operation = await blocksOf('docs/operation.md')

/** curl requests. The next JSON block is the response, or the previous one if there is none. */
const requests = [readme, api].flatMap((blocks) => {
  let response = ''
  return blocks.flatMap(({ language, code }, i) => {
    if (language !== 'sh' || !code.includes('curl')) return []
    const next = blocks[i + 1]
    if (next?.language === 'json') response = next.code
    return [{ command: code, response }]
  })
})

let scratch: string
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'usher-readme-'))
})
afterAll(() => rm(scratch, { recursive: true }))

it('README starts with npm start and npm test', () => {
  expect(readme[0]?.code).toContain('flowchart')
  expect(readme[1]?.code).toBe('npm ci && npm start\n')
  expect(readme[2]?.code).toBe('npm ci && npm test\n')
  expect(scripts).toMatchObject({ start: expect.any(String), test: expect.any(String) })
})

it('npm runs no install script, and no script of ours needs the pre and post scripts that it omits too', async () => {
  const { stdout } = await promisify(execFile)('npm', ['config', 'get', 'ignore-scripts'])
  expect(stdout).toBe('true\n')
  expect(Object.keys(scripts).filter((name) => /^(pre|post)/.test(name))).toEqual([])
})

it.skipIf(!has('curl'))('the requests and code of README and docs/api.md work with npm start', async () => {
  const port = String(await freePort())
  // The store has no database yet. How a first start creates its files is tested in process/serve.test.ts.
  const DATA_DIR = await createDataFolder()
  const server = startChild('sh', ['-c', 'exec npm start'], { PORT: port, DATA_DIR, HOME: scratch })
  await server.printed('Server listening')
  const here = (code: string) => code.replaceAll('localhost:3000', `localhost:${port}`)
  expect(requests.length).toBe(4)
  let user: { tenants?: string[] } = {}
  for (const { command, response } of requests) {
    const { stdout } = await promisify(execFile)('sh', ['-c', here(command)])
    expect(shapeOf(JSON.parse(stdout))).toEqual(shapeOf(JSON.parse(response)))
    user = { ...user, ...JSON.parse(stdout) }
  }
  const snippets = readme.filter(({ language }) => language === 'ts')
  expect(snippets.length).toBe(1)
  for (const { code } of snippets) expect(await logged(here(code))).toEqual([[user.tenants]])
  server.signal('SIGTERM')
  const drained = { code: 0, signal: null, stdout: expect.stringContaining('draining') }
  expect(await server.ended).toMatchObject(drained)
  await rm(DATA_DIR, { recursive: true })
})

/** Returns what a code snippet that uses the SDK logs. */
async function logged(code: string) {
  const stdin = { contents: code, resolveDir: resolve('test') }
  const { outputFiles } = await build({
    stdin,
    bundle: true,
    conditions: ['@usher/source'],
    format: 'esm',
    write: false,
  })
  const file = join(scratch, 'snippet.mjs')
  await writeFile(file, outputFiles[0]?.contents ?? '')
  const log = vi.spyOn(console, 'log').mockReturnValue()
  await import(/* @vite-ignore */ file)
  return log.mock.calls
}

const exampleCommands = api.map(({ code }) => code).filter((code) => code.includes('npm run example'))
it.each(exampleCommands)('the command of docs/api.md serves the example app: %s', async (command) => {
  const port = String(await freePort())
  const script = command.replace(
    /^(.*)npm run example/,
    `$1exec npm run example -- --port ${port} --strictPort`,
  )
  const server = startChild('sh', ['-ec', script.replace(/^(\S+=.*) exec /, 'export $1; exec ')], {
    HOME: scratch,
  })
  await server.printed(`http://localhost:${port}/`)
  expect(await (await fetch(`http://localhost:${port}/`)).text()).toContain('<title>Usher example</title>')
  // Vite resolves its imports.
  expect((await fetch(`http://localhost:${port}/main.ts`)).status).toBe(200)
  // npm start must not build again because of it.
  expect(spawnSync(process.execPath, ['scripts/is-built.js']).status).toBe(0)
  server.signal('SIGTERM')
  await server.ended
})

it.skipIf(!has('openssl'))(
  'the commands of docs/operation.md start a server on Postgres that becomes ready',
  async () => {
    const { url, drop } = await createPostgresDatabase('template0')
    const port = String(await freePort())
    const commands = operation.find(({ code }) => code.includes('export DATABASE_URL='))?.code ?? ''
    const [, created] = /^createdb -h localhost -U postgres (\S+)$/m.exec(commands) ?? []
    expect(commands).toContain(`@localhost:5432/${created}\n`)
    const script = commands
      // The test creates another database, because few machines have the programs of Postgres.
      .replace(/^createdb .*/, '')
      .replace(/DATABASE_URL=\S+/, `DATABASE_URL=${url}`)
      // Each start of npx takes as long as two of Usher, so only the first command uses it.
      .replace(/(?<=npx [\s\S]*)npx @usher\/server/g, 'node server/bin/usher.js')
      .replace('npm start', 'exec npm start')
    const server = startChild('sh', ['-ec', script], { PORT: port, HOME: scratch })
    await server.printed('Server listening')
    expect(server.output.stdout).toContain('acme/app')
    expect((await fetch(`http://localhost:${port}/readyz`)).status).toBe(200)
    server.signal('SIGTERM')
    await server.ended
    await drop()
  },
)

/** Replaces ids, tokens, times and ports, which differ from run to run. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shapeOf(each)]))
  }
  if (typeof value !== 'string') return value
  return value
    .replace(/^[0-9a-f-]{36}$/, 'uuid')
    .replace(/^eyJ.*/, 'jwt')
    .replace(/^\d{4}-\d\d-\d\dT.*Z$/, 'time')
    .replace(/localhost:\d+/, 'localhost')
}
