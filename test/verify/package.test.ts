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

/** Creates an application with only the packed verifier and its dependency, as npm installs them. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-verify-'))
  const [packed] = JSON.parse(await npm('verify', 'pack', '--json', '--pack-destination', folder))
  tarball = join(folder, packed.filename)
  await writeFile(join(folder, 'package.json'), '{ "name": "app", "private": true, "type": "module" }')
  const installed = join(folder, 'node_modules', '@usher', 'verify')
  await mkdir(installed, { recursive: true })
  await run('tar', ['xf', tarball, '--strip-components=1', '-C', installed])
  await symlink(resolve('node_modules/jose'), join(folder, 'node_modules', 'jose'), 'junction')
})
afterAll(() => rm(folder, { recursive: true }))

it('needs only jose', async () => {
  const file = join(folder, 'node_modules', '@usher', 'verify', 'package.json')
  const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(await readFile(file, 'utf8'))
  expect(Object.keys(dependencies)).toEqual(['jose'])
  const optional = Object.keys(peerDependencies).map((name) => [name, { optional: true }])
  expect(peerDependenciesMeta).toEqual(Object.fromEntries(optional))
})

it('imports each path without a framework', async () => {
  const paths = ['', '/express', '/fastify', '/hono', '/webhooks']
  const script = `for (const path of ${JSON.stringify(paths)})
    console.log(Object.keys(await import('@usher/verify' + path)).length > 0)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder })
  expect(stdout).toBe('true\n'.repeat(paths.length))
})

const application = `import { createVerifier, type VerifyErrorCode } from '@usher/verify'
const { verify } = createVerifier({ baseUrl: 'https://users.example.com', workspace: 'demo', database: 'app' })
export async function statusOf(headers: Headers): Promise<string> {
  const { data, error } = await verify(headers.get('authorization'))
  if (!error) return data.tenants?.[0] ?? data.userId
  switch (error.code) {
    case 'token_missing':
    case 'token_expired':
    case 'token_invalid':
    case 'step_up_required':
    case 'own_login_required':
      return error.headers['WWW-Authenticate'] ?? ''
    case 'database_not_found':
    case 'unavailable':
    case 'revocations_stale':
      return String(error.status satisfies 401 | 403 | 503)
    default:
      return error.code satisfies never
  }
}
// @ts-expect-error: not a code
export const other: VerifyErrorCode = 'email_taken'
`

it('compiles in an application without the types of Node', async () => {
  await writeFile(join(folder, 'app.ts'), application)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    types: [],
    lib: ['es2022', 'dom'],
    skipLibCheck: true,
  }
  const config = join(folder, 'tsconfig.json')
  await writeFile(config, JSON.stringify({ compilerOptions, files: ['app.ts'] }))
  const tsc = resolve('node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, '-p', config]).catch((failure) => failure)
  expect(stdout).toBe('')
})

it.each([
  ['classic CommonJS under TypeScript 5.9', typescript59, { module: 'commonjs', moduleResolution: 'node10' }],
  ['CommonJS and ES modules with module node16 under TypeScript 5.9', typescript59, { module: 'node16' }],
  [
    'CommonJS and ES modules with module node16 under TypeScript 7.0',
    'node_modules/typescript',
    { module: 'node16' },
  ],
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
import { verifyWebhook, type WebhookResult } from '@usher/verify/webhooks'
export const eventOf = ({ data }: WebhookResult) => data?.type === 'user.created' && data.data.userId
const verifier = createVerifier({ baseUrl: 'https://users.example.com', workspace: 'demo', database: 'app' })
console.log([express, fastify, hono].map((requireUser) => typeof requireUser(verifier)).join(), typeof verifyWebhook)
`,
  )
  const compilerOptions = {
    ...resolution,
    target: 'es2022',
    strict: true,
    types: ['node'],
    skipLibCheck: true,
  }
  await writeFile(join(app, 'esm.mts'), application)
  const files = resolution.module === 'node16' ? ['app.ts', 'esm.mts'] : ['app.ts']
  await writeFile(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const tsc = resolve(compiler, 'bin/tsc')
  const compiled = await run(process.execPath, [tsc, '-p', app]).catch((failure) => failure)
  expect(compiled.stdout).toBe('')
  const { stdout, stderr } = await run(process.execPath, [join(app, 'app.js')])
  expect(stdout + stderr).toBe('function,function,function function\n')
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
