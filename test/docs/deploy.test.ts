import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv, promisify } from 'node:util'
import { type Copy, DockerfileParser, type From, type JSONInstruction } from 'dockerfile-ast'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { Environment } from '../../server/environment.js'
import { drainMilliseconds } from '../../server/http/drain-connections.js'
import { startUsher } from '../support/child.js'
import { runUsher } from '../support/command-line.js'
import { freePort } from '../support/postgres-server.js'
import { createPostgresDatabase } from '../support/store.js'

const root = new URL('../../', import.meta.url)
const deploy = new URL('docs/deploy/', root)
const { scripts, workspaces } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'))

const has = (command: string) => spawnSync(command, ['--version']).error === undefined

const settings = new Set(['NODE_ENV', ...Object.keys(Environment.shape)])

describe('docs/deploy/Dockerfile', async () => {
  const file = await readFile(new URL('Dockerfile', deploy), 'utf8')
  const instructions = DockerfileParser.parse(file).getInstructions()
  const of = (keyword: string) => instructions.filter((each) => each.getKeyword() === keyword)
  const argumentsOf = (keyword: string) =>
    of(keyword).map((each) => each.getArguments().map((argument) => argument.getValue()))

  it('the Dockerfile uses only known instructions', () => {
    const known = /^(FROM|WORKDIR|COPY|RUN|ENV|USER|EXPOSE|VOLUME|STOPSIGNAL|HEALTHCHECK|ENTRYPOINT|CMD)$/
    expect(instructions.map((each) => each.getKeyword()).filter((keyword) => !known.test(keyword))).toEqual(
      [],
    )
    for (const keyword of ['FROM', 'COPY', 'RUN', 'USER', 'ENTRYPOINT', 'CMD']) {
      expect(of(keyword), keyword).not.toEqual([])
    }
  })

  it('the Dockerfile copies only existing files and stages', () => {
    const stages = of('FROM').map((each) => (each as From).getBuildStage())
    const missing = (of('COPY') as Copy[]).flatMap((copy) => {
      const from = copy.getFromFlag()?.getValue()
      const sources = copy.getArguments().map((argument) => argument.getValue())
      if (from) return stages.includes(from) ? [] : [from]
      return sources.slice(0, -1).filter((source) => !existsSync(new URL(source, root)))
    })
    expect(missing).toEqual([])
  })

  it('the Dockerfile copies everything that the build reads', async ({ onTestFinished }) => {
    const folder = await mkdtemp(join(tmpdir(), 'usher-image-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const [build] = file.split(/^FROM .* AS packages$/m)
    for (const [, files = '', target = ''] of (build ?? '').matchAll(/^COPY (.+) (\S+)$/gm)) {
      for (const source of files.split(' ')) {
        const copy = join(folder, target, target.endsWith('/') ? basename(source) : '')
        // With the results of the last build, the compiler reads only what has changed since.
        await cp(new URL(source, root), copy, { recursive: true, preserveTimestamps: true })
      }
    }
    for (const workspace of workspaces) {
      const dist = join(folder, workspace, 'dist')
      const { fileNames } = JSON.parse(await readFile(join(dist, 'tsconfig.tsbuildinfo'), 'utf8'))
      const own = fileNames.filter((name: string) => /^\.\.\/(?!.*node_modules)/.test(name))
      expect(own, workspace).not.toEqual([])
      expect(own.filter((name: string) => !existsSync(join(dist, name)))).toEqual([])
    }
    await symlink(new URL('node_modules', root), join(folder, 'node_modules'), 'junction')
    const last = join(folder, 'server/dist/migrations')
    await rm(last, { recursive: true })
    await promisify(execFile)('npm', ['run', 'build'], { cwd: folder, shell: process.platform === 'win32' })
    expect(existsSync(last)).toBe(true)
  })

  it('the Dockerfile installs from the lock file, runs an existing build script and starts usher', () => {
    const runs = argumentsOf('RUN').map((words) => words.join(' '))
    const named = runs.flatMap((run) => /^npm run (\S+)/.exec(run)?.[1] ?? [])
    expect(named).toEqual(['build'])
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named))
    expect(runs.filter((run) => run.startsWith('npm ') && !/^npm (ci|run)\b/.test(run))).toEqual([])
    const [entry] = of('ENTRYPOINT') as JSONInstruction[]
    const [, script = ''] = entry?.getJSONStrings().map((text) => text.getJSONValue()) ?? []
    expect(existsSync(new URL(script, root))).toBe(true)
  })

  it('the Dockerfile copies package.json of every workspace, as npm ci requires', async () => {
    const { workspaces } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'))
    const copied = argumentsOf('COPY').flat()
    for (const workspace of workspaces) {
      const count = copied.filter((source) => source === `${workspace}/package.json`).length
      expect(count, workspace).toBe(
        argumentsOf('RUN').filter(([npm, ci]) => npm === 'npm' && ci === 'ci').length,
      )
    }
  })

  it('the Dockerfile sets only existing settings and does not run as root', () => {
    const names = argumentsOf('ENV')
      .flat()
      .map((text) => text.split('=')[0])
    expect(names.filter((name) => !settings.has(name ?? ''))).toEqual([])
    expect(argumentsOf('USER')).toEqual([['node']])
  })
})

describe('docs/deploy/compose.yaml', async () => {
  const file = await readFile(new URL('compose.yaml', deploy), 'utf8')
  const { services }: { services: Record<Name, Service> } = parse(file, { merge: true })
  const { postgres, usher: server } = services

  it('compose.yaml builds the Dockerfile and sets only existing settings', () => {
    expect(Object.keys(services)).toEqual(['postgres', 'migrate', 'usher'])
    for (const { build, environment } of [services.migrate, server]) {
      expect(new URL(`${build.context}/${build.dockerfile}`, deploy).href).toBe(
        new URL('Dockerfile', deploy).href,
      )
      expect(Object.keys(environment).filter((name) => !settings.has(name))).toEqual([])
    }
  })

  it('compose.yaml passes every setting that the image does not set', () => {
    const image = readFileSync(new URL('Dockerfile', deploy), 'utf8')
    const ofImage = [...image.matchAll(/\b([A-Z_]+)=/g)].map(([, name]) => name)
    const others = [...settings].filter((name) => !ofImage.includes(name) && name !== 'USHER_SERVER')
    for (const { environment } of [services.migrate, server])
      expect(Object.keys(environment).sort()).toEqual(others.sort())
    const given = Object.fromEntries(others.map((name) => [name, `value of ${name}`]))
    for (const [name, text] of Object.entries(server.environment))
      if (name !== 'DATABASE_URL') expect(interpolate(text, given)).toBe(given[name])
  })

  it('compose.yaml waits longer than Usher drains', () => {
    expect(Number.parseInt(server.stop_grace_period, 10) * 1000).toBeGreaterThan(drainMilliseconds)
  })

  it('compose.yaml publishes one port, to this machine only, and contains no password', () => {
    expect(Object.values(services).flatMap(({ ports = [] }) => ports)).toEqual(['127.0.0.1:3000:3000'])
    expect(postgres.environment.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?.+\}$/)
    expect(server.environment.USHER_MASTER_KEY).toMatch(/^\$\{USHER_MASTER_KEY:\?.+\}$/)
  })

  it.skipIf(!has('openssl'))(
    'the commands of compose.yaml start a server on an empty Postgres, and create a database',
    async ({ onTestFinished }) => {
      const folder = await mkdtemp(join(tmpdir(), 'usher-compose-'))
      onTestFinished(() => rm(folder, { recursive: true }))
      await mkdir(join(folder, 'docs/deploy'), { recursive: true })
      const [writeSecrets = '', up, ...executed] = commandsOf(file)
      await promisify(execFile)('sh', ['-ec', writeSecrets], { cwd: folder })
      await expect(promisify(execFile)('sh', ['-ec', writeSecrets], { cwd: folder })).rejects.toThrow()
      const secrets = parseEnv(await readFile(join(folder, 'docs/deploy/.env'), 'utf8'))
      const environmentOf = (service: Service) =>
        Object.fromEntries(
          Object.entries(service.environment).map(([name, value]) => [name, interpolate(value, secrets)]),
        )

      const { POSTGRES_USER: user, POSTGRES_PASSWORD: password } = environmentOf(postgres)
      expect(environmentOf(server).DATABASE_URL).toBe(`postgresql://${user}:${password}@postgres/${user}`)
      const store = await createPostgresDatabase('template0')
      onTestFinished(store.drop)
      const port = String(await freePort())
      const env = { ...environmentOf(server), DATABASE_URL: store.url, PORT: port }

      expect(up).toBe(`${compose} up --build --detach`)
      for (const name of exitedBefore(server)) {
        expect(services[name].depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
        expect(await runUsher([services[name].command], env)).toMatchObject({ code: 0 })
      }
      const served = startUsher(['serve'], env)
      await served.printed('Server listening')
      expect((await fetch(`http://localhost:${port}/readyz`)).status).toBe(200)
      const exec = `${compose} exec usher node server/bin/usher.js `
      for (const command of executed) {
        expect(command.startsWith(exec), command).toBe(true)
        expect(await runUsher(command.slice(exec.length).split(' '), env)).toMatchObject({ code: 0 })
      }
      await signUp(port)
      served.signal('SIGTERM')
      expect(await served.ended).toMatchObject({ code: 0 })
    },
  )
})

describe('docs/deploy/usher.service', async () => {
  const path = fileURLToPath(new URL('usher.service', deploy))
  const file = await readFile(path, 'utf8')
  const unit = parseUnit(file)
  const environment = parseEnv((unit.get('Environment') ?? '').replaceAll(' ', '\n'))

  it('usher.service restarts usher, and waits longer than it drains', () => {
    expect(unit.get('Restart')).toBe('on-failure')
    // Otherwise systemd gives up when Postgres is unreachable for some seconds.
    expect(unit.get('StartLimitIntervalSec')).toBe('0')
    expect(Number(unit.get('TimeoutStopSec')) * 1000).toBeGreaterThan(drainMilliseconds)
  })

  it('usher.service sets only existing settings', () => {
    expect(Object.keys(environment).filter((name) => !settings.has(name))).toEqual([])
  })

  it('the commands of usher.service start a server on an empty Postgres, and create a database', async ({
    onTestFinished,
  }) => {
    const store = await createPostgresDatabase('template0')
    onTestFinished(store.drop)
    const port = String(await freePort())
    const written = {
      DATABASE_URL: store.url,
      USHER_MASTER_KEY: randomBytes(32).toString('base64'),
      BASE_URL: 'https://users.example.com',
    }
    for (const name of Object.keys(written)) expect(file).toMatch(new RegExp(`# .* write .*${name}`))
    const env = { ...environment, ...written, PORT: port }
    const start = '/usr/bin/node /opt/usher/server/bin/usher.js '
    const argumentsOf = (line = '') => {
      expect(line.startsWith(start), line).toBe(true)
      return line.slice(start.length).split(' ')
    }

    if (unit.has('ExecStartPre'))
      expect(await runUsher(argumentsOf(unit.get('ExecStartPre')), env)).toMatchObject({ code: 0 })
    const served = startUsher(argumentsOf(unit.get('ExecStart')), env)
    await served.printed('Server listening')
    const executed = commandsOf(file).filter((command) => command.startsWith('usher '))
    expect(executed).not.toEqual([])
    for (const command of executed)
      expect(await runUsher(command.split(' ').slice(1), env)).toMatchObject({ code: 0 })
    await signUp(port)
    served.signal('SIGTERM')
    expect(await served.ended).toMatchObject({ code: 0 })
  })

  it.skipIf(!has('systemd-analyze'))(
    'systemd-analyze accepts usher.service and reports a low exposure',
    async () => {
      const analyze = (...args: string[]) => promisify(execFile)('systemd-analyze', args)
      const { stderr } = await analyze('verify', path).catch((error) => error)
      // Node and Usher need not be installed where this test runs.
      expect(
        stderr.split('\n').filter((line: string) => !/^$|is not executable: No such file/.test(line)),
      ).toEqual([])
      const { stdout } = await analyze('security', '--offline=true', '--threshold=20', path)
      expect(stdout).toContain('Overall exposure level for usher.service')
    },
  )
})

type Name = 'postgres' | 'migrate' | 'usher'

interface Service {
  build: { context: string; dockerfile: string }
  command: string
  depends_on?: Partial<Record<Name, { condition: string }>>
  environment: Record<string, string>
  ports?: string[]
  stop_grace_period: string
}

const compose = 'docker compose -f docs/deploy/compose.yaml'

/** Returns the commands in the comment at the beginning of a file. */
const commandsOf = (file: string) =>
  (/^(#.*\n)+/.exec(file)?.[0] ?? '').split('\n').flatMap((line) => /^# {3}(.*)/.exec(line)?.[1] ?? [])

/** Replaces `${NAME:-default}`, and `${NAME}` with or without an error message, as Compose does. */
const interpolate = (text: string, values: NodeJS.Dict<string>) =>
  text.replace(/\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g, (all, name, fallback) => {
    const value = values[name] ?? fallback
    if (value === undefined) throw new Error(`no value for ${all}`)
    return value
  })

/** Returns the services that must have exited with code 0 before Compose starts a service. */
const exitedBefore = ({ depends_on }: Service) =>
  (Object.keys(depends_on ?? {}) as Name[]).filter(
    (name) => depends_on?.[name]?.condition === 'service_completed_successfully',
  )

async function signUp(port: string) {
  const response = await fetch(`http://localhost:${port}/workspaces/demo/databases/app/users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com', password: 'correct horse battery' }),
  })
  expect(response.status).toBe(201)
}

/** Returns the settings of a systemd unit. Throws on any other line. */
function parseUnit(text: string) {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const settings = new Map<string, string>()
  for (const line of lines.filter((each) => !/^\[(Unit|Service|Install)\]$/.test(each))) {
    const [, name, value] = /^([A-Z]\w+)=(.*)$/.exec(line) ?? []
    if (!name) throw new Error(`not a setting: ${line}`)
    settings.set(name, value ?? '')
  }
  return settings
}
