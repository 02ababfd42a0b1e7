import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { type Analysis, checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { build } from 'esbuild'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { snippetsOf } from '../support/snippets.js'

const run = promisify(execFile)
vi.setConfig({ testTimeout: 60_000 })
const npm = (cwd: string, ...args: string[]) =>
  run('npm', args, { cwd, shell: process.platform === 'win32' }).then(({ stdout }) => stdout)

let folder: string
let tarball: string

/** Creates an application with only the packed SDK and declarations of the platform. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-sdk-'))
  const [packed] = JSON.parse(await npm('sdk', 'pack', '--json', '--pack-destination', folder))
  tarball = join(folder, packed.filename)
  await writeFile(join(folder, 'package.json'), '{ "name": "app", "private": true, "type": "module" }')
  // How npm installs the packages is tested in docs/packages.test.ts.
  const installed = join(folder, 'node_modules', '@usher', 'sdk')
  await mkdir(installed, { recursive: true })
  await run('tar', ['xf', tarball, '--strip-components=1', '-C', installed])
  await copyFile('test/sdk/consumer.ts', join(folder, 'consumer.ts'))
  // Under node16 a .cts file is what a .ts file is in a package of type "commonjs".
  await copyFile('test/sdk/consumer.ts', join(folder, 'consumer.cts'))
  await mkdir(join(folder, 'readme'))
  for (const [index, { language, code }] of (await snippetsOf('sdk/README.md')).entries()) {
    if (language.startsWith('ts')) await writeFile(join(folder, 'readme', `${index}.${language}`), code)
  }
  for (const name of ['@types', 'react']) {
    await symlink(resolve('node_modules', name), join(folder, 'node_modules', name), 'junction')
  }
})
afterAll(() => rm(folder, { recursive: true }))

/** TypeScript 5.9, which package.json overrides for attw: a second one of the root would have the same command. */
const typescript59 = 'node_modules/@arethetypeswrong/core/node_modules/typescript'
const typescript: typeof import('../../node_modules/@arethetypeswrong/core/node_modules/typescript/lib/typescript.js') =
  createRequire(import.meta.url)(resolve(typescript59))

const isOurs = (file: string) => !file.includes('/node_modules/') || file.includes('/node_modules/@usher/')

interface Application {
  compilerOptions: object
  files: string[]
}

/** The declarations of the platform, which each program would parse again. */
const parsedLibraries = new Map<string, ReturnType<typeof typescript.createSourceFile> | undefined>()

/**
 * Returns the errors of TypeScript 5.9 in the application and the SDK. It would take three times as long to check the
 * declarations of the platform too.
 */
async function compileInProcess(config: Application) {
  const { options, fileNames, errors } = typescript.parseJsonConfigFileContent(config, typescript.sys, folder)
  const host = typescript.createCompilerHost(options)
  const parse = host.getSourceFile
  host.getSourceFile = (file, ...how) => {
    if (!file.includes('/typescript/lib/')) return parse(file, ...how)
    if (!parsedLibraries.has(file)) parsedLibraries.set(file, parse(file, ...how))
    return parsedLibraries.get(file)
  }
  const program = typescript.createProgram(fileNames, options, host)
  const checked = program.getSourceFiles().filter(({ fileName }) => isOurs(fileName))
  expect(checked.length).toBeGreaterThan(fileNames.length)
  const found = [
    ...errors,
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...checked.flatMap((file) => typescript.getPreEmitDiagnostics(program, file)),
  ]
  return typescript.formatDiagnostics(found, host)
}

/** Returns the errors that the command of TypeScript 7 prints. */
async function compileByCommand(config: Application) {
  const file = join(folder, 'tsconfig.json')
  await writeFile(file, JSON.stringify(config))
  const tsc = resolve('node_modules/typescript/bin/tsc')
  return run(process.execPath, [tsc, '-p', file]).then(
    ({ stdout }) => stdout,
    ({ stdout }) => stdout,
  )
}

const compilers = [
  ['5.9', typescript59, compileInProcess],
  ['7.0', 'node_modules/typescript', compileByCommand],
] as const
const commonOptions = {
  strict: true,
  skipLibCheck: false,
  skipDefaultLibCheck: true,
  noEmit: true,
  target: 'es2022',
  types: [],
  jsx: 'react-jsx',
}
const applications = [
  {
    name: 'a browser, and CommonJS under node16',
    module: 'node16',
    lib: ['es2022', 'dom'],
    exactOptionalPropertyTypes: true,
  },
  { name: 'a bundler', module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'] },
  { name: 'Node', module: 'nodenext', lib: ['es2022'], types: ['node'] },
]
/** TypeScript 7 no longer has this way of resolving packages. */
const commonJs = { name: 'CommonJS', module: 'commonjs', moduleResolution: 'node10', lib: ['es2022', 'dom'] }

describe.each(compilers)('under TypeScript %s', (version, compiler, compile) => {
  it('finds the expected version of TypeScript', async () => {
    const { version: installed } = JSON.parse(await readFile(join(compiler, 'package.json'), 'utf8'))
    expect(installed).toMatch(new RegExp(`^${version}\\.`))
  })

  it.each(version === '5.9' ? [...applications, commonJs] : applications)(
    'compiles an application for $name',
    async ({ name, ...options }) => {
      const snippets = ['Node', 'CommonJS'].includes(name)
        ? []
        : (await readdir(join(folder, 'readme'))).map((file) => `readme/${file}`)
      const consumers = options.module === 'node16' ? ['consumer.ts', 'consumer.cts'] : ['consumer.ts']
      const config = {
        compilerOptions: { ...commonOptions, ...options },
        files: [...consumers, ...snippets],
      }
      expect(await compile(config)).toBe('')
    },
  )
})

/** Returns the size of a bundle, minified and gzipped. What is loaded later does not count. */
async function bundledBytes(contents: string) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    splitting: true,
    minify: true,
    external: ['react', 'uqr'],
    format: 'esm',
    outdir: folder,
    absWorkingDir: folder,
    metafile: true,
    write: false,
  })
  const textOf = (path: string) => outputFiles.find((file) => file.path === join(folder, path))?.text ?? ''
  const needed = new Set(['stdin.js'])
  for (const path of needed)
    for (const { path: imported, kind } of metafile.outputs[path]?.imports ?? [])
      if (kind === 'import-statement') needed.add(imported)
  return gzipSync([...needed].map(textOf).join('')).length
}

describe('the package', () => {
  it('packs an SDK that depends only on the encoder of QR codes', async () => {
    const file = join(folder, 'node_modules', '@usher', 'sdk', 'package.json')
    const { dependencies, peerDependencies, peerDependenciesMeta } = JSON.parse(await readFile(file, 'utf8'))
    expect(Object.keys(dependencies)).toEqual(['uqr'])
    expect(Object.keys(peerDependencies)).toEqual(['react'])
    expect(peerDependenciesMeta).toEqual({ react: { optional: true } })
  })

  it('can be required in CommonJS', async () => {
    const script = `console.log(typeof require('@usher/sdk').createClient, typeof require('@usher/sdk/react').useUser, typeof require('@usher/sdk/login-by-mail').createLoginByMail, typeof require('@usher/sdk/external').createExternalLogin, typeof require('@usher/sdk/passkeys').createPasskeys, typeof require('@usher/sdk/management').createManagementClient)`
    const { stdout, stderr } = await run(process.execPath, ['--input-type=commonjs', '-e', script], {
      cwd: folder,
    })
    expect(stdout + stderr).toBe('function function function function function function\n')
  })

  it('packs only compiled files and declarations', async () => {
    const files = await readdir(join(folder, 'node_modules', '@usher', 'sdk'), { recursive: true })
    const expected =
      /^(README\.md|LICENSE|package\.json|dist|dist.[\w-]+(\.d)?\.(js|cjs|ts|cts)|dist.ui(.(account|sign-in|sso|texts))?|dist.ui.([\w-]+.)?[\w-]+(\.d)?\.(js|ts)|dist.ui.ui\.css)$/
    expect(files.filter((file) => !expected.test(file))).toEqual([])
  })

  it('packs an SDK that passes publint', async () => {
    const { buffer } = new Uint8Array(await readFile(tarball))
    const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true })
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })

  it('packs types that pass attw for each way of resolving', async () => {
    const archive = createPackageFromTarballData(new Uint8Array(await readFile(tarball)))
    // Elements are modules for browsers, which bundlers read.
    const { entrypoints, problems } = (await checkPackage(archive, {
      excludeEntrypoints: [/^\.\/ui/],
    })) as Analysis
    expect(problems).toEqual([])
    const { resolutions } = entrypoints['.'] ?? {}
    expect(resolutions?.['node16-cjs'].resolution?.fileName).toMatch(/index\.d\.cts$/)
    expect(resolutions?.['node16-esm'].resolution?.fileName).toMatch(/index\.d\.ts$/)
  })

  /** A client, which an app has in any case. */
  const client = "export { createSessionClient } from '@usher/sdk/session';"
  const signIn = "export { start } from '@usher/sdk/ui';"

  it.each([
    { name: 'usher-sign-in', contents: signIn, maxBytes: 14_850 },
    {
      name: 'the account, to usher-sign-in',
      floor: signIn,
      contents: "export { startAccount } from '@usher/sdk/ui/account'",
      maxBytes: 6600,
    },
    {
      name: 'the account, without usher-sign-in',
      contents: "export { startAccount } from '@usher/sdk/ui/account'",
      maxBytes: 18_050,
    },
    {
      name: 'the set-up of single sign-on, to the account',
      floor: "export { startAccount } from '@usher/sdk/ui/account';",
      contents: "export { startSsoSetup } from '@usher/sdk/ui/sso'",
      maxBytes: 8000,
    },
    {
      name: 'the components of React, to usher-sign-in',
      floor: signIn,
      contents:
        "export { SignIn, Account, Tenant, SsoSetup, UserMenu, useSignIn } from '@usher/sdk/ui/react'",
      maxBytes: 1000,
    },
    {
      name: 'the steps of a login without elements',
      contents: "export { createSignInFlow } from '@usher/sdk/ui/flow'",
      maxBytes: 8600,
    },
  ])(
    'adds at most $maxBytes bytes for $name, minified and gzipped',
    async ({ floor = '', contents, maxBytes }) => {
      const bytes =
        (await bundledBytes(`${client}${floor}${contents}`)) - (await bundledBytes(`${client}${floor}`))
      expect(bytes).toBeGreaterThan(maxBytes / 2)
      expect(bytes).toBeLessThanOrEqual(maxBytes)
    },
  )

  it('has marks of providers of at most 1,200 bytes, minified and gzipped', async () => {
    const { outputFiles } = await build({
      entryPoints: [join(folder, 'node_modules', '@usher', 'sdk', 'dist', 'ui', 'marks.js')],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    })
    expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThanOrEqual(1200)
  })

  it('has a style sheet of at most 3,000 bytes, minified and gzipped', async () => {
    const entryPoints = [join(folder, 'node_modules', '@usher', 'sdk', 'dist', 'ui', 'ui.css')]
    const { outputFiles } = await build({ entryPoints, minify: true, write: false })
    expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThanOrEqual(3000)
  })

  it.each([
    { name: 'all exports', contents: "export * from '@usher/sdk'", maxBytes: 5770 },
    {
      name: 'a client that stays logged in',
      contents: "export { createSessionClient } from '@usher/sdk/session'",
      maxBytes: 7450,
    },
    {
      name: 'the three operations alone',
      contents: "export { createOperations, users } from '@usher/sdk'",
      maxBytes: 2620,
    },
    {
      name: 'a client of the management API',
      contents: "export { createManagementClient } from '@usher/sdk/management'",
      maxBytes: 4500,
    },
    {
      name: 'passkeys, without a client',
      contents: "export { createPasskeys } from '@usher/sdk/passkeys'",
      maxBytes: 1900,
    },
    {
      name: 'login by mail, without a client',
      contents: "export { createLoginByMail } from '@usher/sdk/login-by-mail'",
      maxBytes: 2100,
    },
    {
      name: 'login by mail, with a client',
      contents:
        "export { createClient } from '@usher/sdk'; export { createLoginByMail } from '@usher/sdk/login-by-mail'",
      maxBytes: 6750,
    },
    {
      name: 'logins at providers, without a client',
      contents: "export { createExternalLogin } from '@usher/sdk/external'",
      maxBytes: 3000,
    },
    {
      name: 'logins at providers and by mail, with a client',
      contents:
        "export { createClient } from '@usher/sdk'; export { createExternalLogin } from '@usher/sdk/external'; export { createLoginByMail } from '@usher/sdk/login-by-mail'",
      maxBytes: 7830,
    },
    {
      name: 'the hook of a login at a provider, without React',
      contents: "export { useExternalLogin } from '@usher/sdk/react'",
      maxBytes: 500,
    },
    {
      name: 'the hook of a user, without React',
      contents: "export { useUser } from '@usher/sdk/react'",
      maxBytes: 1000,
    },
    {
      name: 'the hook of a login by mail, without React',
      contents: "export { useLoginByMail } from '@usher/sdk/react'",
      maxBytes: 400,
    },
  ])('bundles $name into at most $maxBytes bytes, minified and gzipped', async ({ contents, maxBytes }) => {
    const bytes = await bundledBytes(contents)
    expect(bytes).toBeGreaterThan(maxBytes / 2)
    expect(bytes).toBeLessThanOrEqual(maxBytes)
  })
})

describe('in an editor', () => {
  const parsed = typescript.createDocumentRegistry()

  /** Returns what TypeScript shows where the cursor (`|`) is. */
  function hover(code: string) {
    const file = join(folder, 'hover.ts')
    const text = code.replace('|', '')
    const options = {
      module: typescript.ModuleKind.NodeNext,
      target: typescript.ScriptTarget.ES2022,
      types: [],
    }
    const host: Parameters<typeof typescript.createLanguageService>[0] = {
      getCompilationSettings: () => options,
      getScriptFileNames: () => [file],
      getScriptVersion: (name) => (name === file ? text : ''),
      getScriptSnapshot: (name) => {
        const content = name === file ? text : typescript.sys.readFile(name)
        return content === undefined ? undefined : typescript.ScriptSnapshot.fromString(content)
      },
      getCurrentDirectory: () => folder,
      getDefaultLibFileName: typescript.getDefaultLibFilePath,
      fileExists: (name) => name === file || typescript.sys.fileExists(name),
      readFile: typescript.sys.readFile,
    }
    const service = typescript.createLanguageService(host, parsed)
    const { documentation } = service.getQuickInfoAtPosition(file, code.indexOf('|')) ?? {}
    return documentation?.map((part) => part.text).join('')
  }

  it('shows what a code means', () => {
    const code =
      "import type { ErrorMessages } from '@usher/sdk'\nexport const texts: Partial<ErrorMessages> = { email_|taken: 'Vergeben' }"
    expect(hover(code)).toBe(
      'Email address is already in use. Log in, or sign up with another email address.',
    )
  })

  it('shows what a method and a field do', () => {
    const imports = "import { createClient } from '@usher/sdk'\nconst usher = createClient({} as never)\n"
    expect(hover(`${imports}usher.log|in`)).toMatch(
      /^Returns the user with all tenants and a new access token/,
    )
    expect(hover(`${imports}usher.me().then(({ error }) => error?.retryAfter|Seconds)`)).toMatch(
      /^Seconds to wait/,
    )
  })
})
