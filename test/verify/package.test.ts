import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type Analysis, checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, it } from 'vitest'

/** TypeScript 5.9, which package.json overrides for attw. */
const typescript59 = 'node_modules/@arethetypeswrong/core/node_modules/typescript'
const run = promisify(execFile)
const npm = (cwd: string, ...args: string[]) =>
  run('npm', args, { cwd, shell: process.platform === 'win32' }).then(({ stdout }) => stdout)

let folder: string
let tarball: string

async function pack(from: string) {
  const [packed] = JSON.parse(await npm(from, 'pack', '--json', '--pack-destination', folder))
  return join(folder, packed.filename)
}

/** Creates an application with only the packed verifier and its dependency. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-verify-'))
  tarball = await pack('verify')
  await writeFile(join(folder, 'package.json'), '{ "name": "app", "private": true, "type": "module" }')
  await npm(
    folder,
    'install',
    '--offline',
    '--no-audit',
    '--no-fund',
    tarball,
    await pack('node_modules/jose'),
  )
})
afterAll(() => rm(folder, { recursive: true }))

it('installs only jose with the package', async () => {
  const lock = join(folder, 'node_modules', '.package-lock.json')
  const { packages } = JSON.parse(await readFile(lock, 'utf8'))
  expect(Object.keys(packages).sort()).toEqual(['node_modules/@usher/verify', 'node_modules/jose'])
})

it.each(['', '/express', '/fastify', '/hono'])(
  'imports @usher/verify%s without a framework',
  async (path) => {
    const script = `const { length } = Object.keys(await import('@usher/verify${path}')); console.log(length)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder })
    expect(Number(stdout)).toBeGreaterThan(0)
  },
)

it.each([
  ['5.9', typescript59],
  ['7.0', 'node_modules/typescript'],
])('compiles in an application under TypeScript %s', async (version, compiler) => {
  const { version: installed } = JSON.parse(await readFile(join(compiler, 'package.json'), 'utf8'))
  expect(installed).toMatch(new RegExp(`^${version}\\.`))
  await writeFile(
    join(folder, 'app.ts'),
    `import { createVerifier, type VerifyErrorCode } from '@usher/verify'
const { verify } = createVerifier({ baseUrl: 'https://users.example.com', workspace: 'demo', database: 'app' })
export async function statusOf(headers: Headers): Promise<string> {
  const { data, error } = await verify(headers.get('authorization'))
  if (!error) return data.tenants?.[0] ?? data.userId
  switch (error.code) {
    case 'token_missing':
    case 'token_expired':
    case 'token_invalid':
      return error.headers['WWW-Authenticate'] ?? ''
    case 'database_not_found':
    case 'unavailable':
    case 'revocations_stale':
      return String(error.status satisfies 401 | 503)
    default:
      return error.code satisfies never
  }
}
// @ts-expect-error: not a code
export const other: VerifyErrorCode = 'email_taken'
`,
  )
  const compilerOptions = { strict: true, noEmit: true, target: 'es2022', module: 'nodenext', types: [] }
  const config = join(folder, 'tsconfig.json')
  const options = { ...compilerOptions, lib: ['es2022', 'dom'], skipLibCheck: true }
  await writeFile(config, JSON.stringify({ compilerOptions: options, files: ['app.ts'] }))
  const { stdout } = await run(process.execPath, [join(resolve(compiler), 'bin', 'tsc'), '-p', config]).catch(
    (failure) => failure,
  )
  expect(stdout).toBe('')
})

it.each([
  ['classic CommonJS under TypeScript 5.9', typescript59, { module: 'commonjs', moduleResolution: 'node10' }],
  ['CommonJS with module node16 under TypeScript 5.9', typescript59, { module: 'node16' }],
  ['CommonJS with module node16 under TypeScript 7.0', 'node_modules/typescript', { module: 'node16' }],
])('compiles in %s, each path, and runs', async (_name, compiler, resolution) => {
  const app = join(folder, 'commonjs')
  await rm(app, { recursive: true, force: true })
  await mkdir(join(app, 'node_modules'), { recursive: true })
  for (const name of ['@types', 'fastify', 'hono']) {
    await symlink(resolve('node_modules', name), join(app, 'node_modules', name), 'junction')
  }
  await writeFile(join(app, 'package.json'), '{ "name": "app", "private": true }')
  await writeFile(
    join(app, 'app.ts'),
    `import { createVerifier } from '@usher/verify'
import { requireUser as express } from '@usher/verify/express'
import { requireUser as fastify } from '@usher/verify/fastify'
import { requireUser as hono } from '@usher/verify/hono'
const verifier = createVerifier({ baseUrl: 'https://users.example.com', workspace: 'demo', database: 'app' })
console.log([express, fastify, hono].map((requireUser) => typeof requireUser(verifier)).join())
`,
  )
  const compilerOptions = {
    ...resolution,
    target: 'es2022',
    strict: true,
    types: ['node'],
    skipLibCheck: true,
  }
  await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.ts'] }))
  const tsc = resolve(compiler, 'bin/tsc')
  const compiled = await run(process.execPath, [tsc, '-p', app]).catch((failure) => failure)
  expect(compiled.stdout).toBe('')
  const { stdout, stderr } = await run(process.execPath, [join(app, 'app.js')])
  expect(stdout + stderr).toBe('function,function,function\n')
})

it('packs only compiled files and declarations', async () => {
  const files = await readdir(join(folder, 'node_modules', '@usher', 'verify'), { recursive: true })
  const expected = /^(README\.md|LICENSE|package\.json|dist|dist.[\w-]+(\.d)?\.(js|cjs|ts|cts))$/
  expect(files.filter((file) => !expected.test(file))).toEqual([])
})

it('passes publint', async () => {
  const { buffer } = new Uint8Array(await readFile(tarball))
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true })
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
})

it('has types that pass attw for each way of resolving', async () => {
  const { types, problems } = (await checkPackage(
    createPackageFromTarballData(new Uint8Array(await readFile(tarball))),
  )) as Analysis
  expect(types).toMatchObject({ kind: 'included' })
  expect(problems).toEqual([])
})

it('adds at most 6,784 bytes to jose, minified and gzipped', async () => {
  const bundle = (external: string[]) =>
    build({
      stdin: { contents: "export * from '@usher/verify'", resolveDir: folder },
      bundle: true,
      minify: true,
      format: 'esm',
      external,
      write: false,
    }).then(({ outputFiles }) => gzipSync(outputFiles[0]?.contents ?? '').length)
  const own = await bundle(['jose'])
  expect(own).toBeGreaterThan(4_096)
  expect(own).toBeLessThanOrEqual(6_784)
  expect(await bundle([])).toBeLessThanOrEqual(12_928)
})

it.each(['express', 'fastify', 'hono'])('has at most 30 lines in its sub-path %s', async (name) => {
  const text = await readFile(`verify/${name}.ts`, 'utf8')
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(30)
})
