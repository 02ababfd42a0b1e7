import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Copy, DockerfileParser, type From, type JSONInstruction } from 'dockerfile-ast'
import { describe, expect, it } from 'vitest'
import { Environment } from '../../server/environment.js'
import { drainMilliseconds } from '../../server/http/drain-connections.js'

const root = new URL('../../', import.meta.url)
const deploy = new URL('docs/deploy/', root)
const { scripts, workspaces } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'))

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
  const [, usher = ''] = file.split(/^ {2}usher:$/m)

  it('compose.yaml builds the Dockerfile and sets only existing settings', () => {
    const [, folder = ''] = /^ {6}context: (.*)$/m.exec(usher) ?? []
    const [, path = ''] = /^ {6}dockerfile: (.*)$/m.exec(usher) ?? []
    expect(new URL(`${folder}/${path}`, deploy).href).toBe(new URL('Dockerfile', deploy).href)
    const [, environment = ''] = usher.split(/^ {4}environment:$|^ {4}ports:$/m)
    const names = [...environment.matchAll(/^ {6}(\w+):/gm)].map(([, name = '']) => name)
    expect(names).toContain('DATABASE_URL')
    expect(names.filter((name) => !settings.has(name))).toEqual([])
  })

  it('compose.yaml waits longer than Usher drains', () => {
    const [, seconds = ''] = /^ {4}stop_grace_period: (\d+)s$/m.exec(usher) ?? []
    expect(Number(seconds) * 1000).toBeGreaterThan(drainMilliseconds)
  })
})

describe('docs/deploy/usher.service', async () => {
  const path = fileURLToPath(new URL('usher.service', deploy))
  const unit = parseUnit(await readFile(path, 'utf8'))
  const has = (command: string) => spawnSync(command, ['--version']).error === undefined

  it('usher.service starts usher, restarts it and waits longer than it drains', () => {
    expect(unit.get('ExecStart')).toMatch(/^\/usr\/bin\/node \/opt\/usher\/server\/bin\/usher\.js serve$/)
    expect(existsSync(new URL('server/bin/usher.js', root))).toBe(true)
    expect(unit.get('Restart')).toBe('on-failure')
    expect(Number(unit.get('TimeoutStopSec')) * 1000).toBeGreaterThan(drainMilliseconds)
  })

  it('usher.service sets only existing settings', () => {
    const names =
      unit
        .get('Environment')
        ?.split(' ')
        .map((text) => text.split('=')[0] ?? '') ?? []
    expect(names.filter((name) => !settings.has(name))).toEqual([])
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
