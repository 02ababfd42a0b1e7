import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { hostContract } from '@usher/contract/operator'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inOwnProcess } from '../../server/cli/program.js'
import { cheapHashes } from '../../server/testing/cheap-hashes.js'
import { version } from '../../server/version.js'
import { commandsUnder, nameOfCommand, useEveryCommand } from '../store/every-command.js'
import { password } from '../support/app.js'
import { startChild, startUsher } from '../support/child.js'
import { type Input, runUsher } from '../support/command-line.js'
import { startLyingProvider } from '../support/lying-provider.js'
import { freePort } from '../support/postgres-server.js'
import { createDataFolder } from '../support/store.js'

const printLoaded = new URL('./print-loaded.js', import.meta.url).href
const bin = fileURLToPath(new URL('../../server/bin/usher.js', import.meta.url))

let provider: Awaited<ReturnType<typeof startLyingProvider>>
let folder: string
let served: Awaited<ReturnType<typeof startServer>>

/** Commands that fail. */
const failing = [
  'user create demo/app',
  'user create demo/app ada@example.com --role owner',
  'user delete demo/app ada@example.com',
  'user show demo/app ada@example.com',
  'user import demo/app none.ndjson',
  'database set demo/app',
  'database show demo/apps --json',
]
const failures = new Map<string, unknown>()

beforeAll(async () => {
  provider = await startLyingProvider()
  folder = await createDataFolder()
  const run = (command: string) => runUsher(command.split(' '), { DATA_DIR: folder })
  await run('workspace create demo')
  await run('database create demo/app')
  for (const command of failing) failures.set(command, await run(command))
  served = await startServer(folder)
})
afterAll(async () => {
  await provider.close()
  await rm(folder, { recursive: true })
})

/** Starts a server on a folder, in another working directory than that of the commands. */
async function startServer(DATA_DIR: string, more: Record<string, string> = {}) {
  const port = String(await freePort())
  const env = { DATA_DIR, PORT: port, PRIVATE_ISSUERS: provider.issuer, ...cheapHashes, ...more }
  const server = startChild('sh', ['-c', 'cd / && exec "$0" "$@"', process.execPath, bin, 'serve'], env)
  await server.printed('Sign up, log in')
  const run = (command: string, input: Input = '') => runUsher(command.split(' '), { DATA_DIR }, input)
  const outcome = async (command: string, input: Input = '') => {
    const { code, stdout, stderr } = await run(command, input)
    return `${code} ${stdout}${stderr}`
  }
  const usersOf = async (path: string) =>
    (await run(`user export ${path}`)).stdout.split('\n').filter(Boolean).length
  return { ...server, env, run, outcome, usersOf, url: `http://localhost:${port}` }
}

/** Returns an import that reads from a pipe, and a function that writes users into it until nobody reads it. */
async function startPipedImport(name: string, env: Record<string, string>) {
  const file = join(folder, `${name}.ndjson`)
  execFileSync('mkfifo', [file])
  const child = startUsher(['user', 'import', 'demo/app', file], env)
  const pipe = createWriteStream(file).on('error', () => undefined)
  let written = 0
  const write = (count: number) =>
    new Promise<boolean>((resolve) => {
      const lines = Array.from({ length: count }, () => `{"email":"${name}${written++}@example.com"}\n`)
      pipe.write(lines.join(''), (error) => resolve(!error))
    })
  return { ...child, write, end: () => pipe.end() }
}

it('every command that does not need the store for itself works next to a server', async () => {
  const used = new Set<string>()
  const usher = async (command: string, input?: string) => {
    used.add(nameOfCommand(command))
    const { code, stdout, stderr } = await served.run(`${command} --json`, input)
    expect(code, `${command}: ${stderr}`).toBe(0)
    return stdout
  }
  const files = relative(process.cwd(), folder)
  await useEveryCommand(usher, { folder: files, issuer: provider.issuer })
  expect([...used, ...inOwnProcess].sort()).toEqual((await commandsUnder()).sort())
})

it.for(['serve', 'migrate', 'keys rewrap'])('%s says that the server must be stopped', async (command) => {
  expect(await served.outcome(command)).toBe(
    `5 usher: ${folder} is in use by another process, such as a running server. Stop the server, then run the command again\n`,
  )
})

it('a user whom a command creates can log in immediately', async () => {
  const { stdout } = await served.run('database create demo/fresh --json')
  expect(JSON.parse(stdout).url).toBe(`${served.url}/workspaces/demo/databases/fresh`)
  const child = startUsher(['user', 'create', 'demo/fresh', 'ada@example.com'], { DATA_DIR: folder })
  child.child.stdin.end(`${password}\n`)
  expect(await child.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Created user .*\.\n$/) })
  const response = await fetch(`${JSON.parse(stdout).url}/users/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com', password }),
  })
  expect(response.status).toBe(200)
})

it('a command asks on the terminal of its own process', async () => {
  await served.run('user create demo/app typed@example.com --no-password')
  expect(await served.outcome('user delete demo/app typed@example.com', ['another'])).toMatch(
    /^1 .*Type typed@example\.com to delete this user permanently: .*usher: the name does not match/s,
  )
  expect(await served.outcome('user set-password demo/app typed@example.com', [password, password])).toMatch(
    /^0 Set the password of user .*New password: \nRepeat password: \n/s,
  )
  expect(await served.outcome('user delete demo/app typed@example.com', ['typed@example.com'])).toMatch(
    /^0 Deleted user /,
  )
})

it.for(failing)('%s fails as it does without a server', async (command) => {
  expect(await served.run(command)).toEqual(failures.get(command))
})

it('commands run in parallel, and a large result arrives as a whole', async () => {
  await served.run('database create demo/large')
  const file = join(folder, 'large.ndjson')
  const lines = Array.from({ length: 3_000 }, (_, index) =>
    JSON.stringify({ email: `user${index}@example.com` }),
  )
  await writeFile(file, lines.join('\n'))
  expect(await served.outcome(`user import demo/large ${file}`)).toMatch(/^0 Added 3000 users\./)
  const users = Array.from({ length: 3 }, () => served.usersOf('demo/large'))
  expect(await Promise.all(users)).toEqual([3_000, 3_000, 3_000])
  const exported = relative(process.cwd(), join(folder, 'exported.ndjson'))
  await served.run(`user export demo/large -o ${exported}`)
  expect((await readFile(exported, 'utf8')).split('\n')).toHaveLength(3_001)
  const { child, ended } = startUsher(['user', 'export', 'demo/large'], { DATA_DIR: folder })
  child.stdout?.once('data', () => child.stdout?.destroy())
  expect(await ended).toMatchObject({ code: 0, stderr: '' })
})

it('the socket is open only to its owner, and survives what is not a command', async () => {
  const file = join(folder, 'usher.sock')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await stat(folder)).mode & 0o777).toBe(0o700)
  for (const text of ['nonsense\n', '{}\n', 'null\n', '']) {
    const socket = connect(file)
    socket.resume().end(text)
    await once(socket, 'close')
  }
  expect(await served.outcome('workspace list')).toMatch(/^0 /)
})

it('only the socket has the rights of the host, whatever a request says', async () => {
  const headers = { 'usher-version': version, 'content-type': 'application/json' }
  const body = JSON.stringify({ operator: 'root', request: { body: { slug: 'demo' } } })
  const { host } = hostContract
  const paths = [
    ...Object.keys(host).map((name) => `/${name}`),
    ...Object.values(host).map(({ path }) => path),
  ]
  for (const path of [...paths, '/listWorkspaces', '/operator/deleteWorkspace']) {
    const { status } = await fetch(served.url + path, { method: 'POST', headers, body })
    expect([404, 405], path).toContain(status)
  }
})

it('an import that is interrupted says how many users it has added', async () => {
  const { write, child, signal, ended } = await startPipedImport('interrupted', { DATA_DIR: folder })
  const before = await served.usersOf('demo/app')
  await write(1_001)
  await expect.poll(() => served.usersOf('demo/app')).toBe(before + 1_000)
  signal('SIGINT')
  while (child.exitCode === null && (await write(1_000)));
  const { code, stderr } = await ended
  const added = (await served.usersOf('demo/app')) - before
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`usher: interrupted after ${added} users. To resume, run it again\n`),
  ])
})

it('a server of another version, or one that stops, makes the command fail', async () => {
  const env = { DATA_DIR: await createDataFolder() }
  const file = join(env.DATA_DIR, 'usher.sock')
  await chmod(env.DATA_DIR, 0o700)
  let isGone = false
  const server = createServer((request, response) => {
    if (isGone) request.destroy()
    else response.writeHead(400, { 'usher-version': '0.0.1' }).end()
  }).listen(file)
  const outcome = async () => {
    const { code, stderr } = await runUsher(['workspace', 'list'], env)
    return `${code} ${stderr}`
  }
  expect(await outcome()).toMatch(
    /^1 usher: the running server is Usher 0\.0\.1, and this command is \S+\. Stop the server, then run/,
  )
  isGone = true
  expect(await outcome()).toBe(
    '5 usher: the server stopped before the command ended. Start it, and check what the command has changed\n',
  )
  // Others could have put the socket there.
  await chmod(env.DATA_DIR, 0o755)
  expect(await outcome()).toBe('0 ')
  server.close()
  await rm(env.DATA_DIR, { recursive: true })
})

it('a server in a folder with a long path loads commands when one runs, and the next one replaces its socket after a kill', async () => {
  const parent = await createDataFolder()
  const long = join(parent, 'a-folder-with-a-long-name/'.repeat(6))
  await mkdir(long, { recursive: true, mode: 0o700 })
  await rename(join(parent, 'store'), join(long, 'store'))
  const first = await startServer(long, { NODE_OPTIONS: `--import=${printLoaded}` })
  expect(first.output.stderr).not.toMatch(
    /loaded .*(socket\/answer|cli\/commands\/workspace|contract\/operator\/|http\/console\/)/,
  )
  expect(await first.outcome('workspace list')).toMatch(/^0 /)
  expect(first.output.stderr).toMatch(/loaded .*socket\/answer/)
  const cut = await startPipedImport('cut', { DATA_DIR: long })
  await cut.write(1_001)
  await expect.poll(() => first.usersOf('demo/app')).toBe(1_000)
  first.signal('SIGKILL')
  await first.ended
  cut.end()
  expect(await cut.ended).toMatchObject({
    code: 5,
    stderr:
      'usher: the server stopped before the command ended. Start it, and check what the command has changed\n',
  })

  const second = await startServer(long)
  expect(await second.usersOf('demo/app')).toBe(1_000)
  second.signal('SIGKILL')
  await second.ended
  await rm(parent, { recursive: true })
})

it('a server that stops ends commands after a whole slice, and removes its socket', async () => {
  const before = await served.usersOf('demo/app')
  const killed = await startPipedImport('killed', { DATA_DIR: folder })
  await killed.write(1_001)
  await expect.poll(() => served.usersOf('demo/app')).toBe(before + 1_000)
  killed.signal('SIGKILL')
  await killed.ended
  killed.end()
  const stopped = await startPipedImport('stopped', { DATA_DIR: folder })
  await stopped.write(1_001)
  await expect.poll(() => served.usersOf('demo/app')).toBe(before + 2_000)
  served.signal('SIGTERM')
  expect(await served.ended).toMatchObject({ code: 0 })
  stopped.end()
  expect(await stopped.ended).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('usher: the server stopped before the command ended'),
  })
  await expect(stat(join(folder, 'usher.sock'))).rejects.toThrow('ENOENT')
  expect(await served.usersOf('demo/app')).toBe(before + 2_000)
})
