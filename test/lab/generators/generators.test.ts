import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  management30Document,
  managementDocument,
  openApi30Document,
  openApiDocument,
} from '@usher/contract/openapi'
import { expect, test } from 'vitest'
import { report } from '../form.js'
import { runProgram } from '../run-program.js'

const here = fileURLToPath(new URL('.', import.meta.url))
const documents = {
  'openapi-3.1': openApiDocument('http://localhost:3000', '0.0.0'),
  'openapi-3.0': openApi30Document('http://localhost:3000', '0.0.0'),
  'management-3.1': managementDocument('http://localhost:3000', '0.0.0'),
  'management-3.0': management30Document('http://localhost:3000', '0.0.0'),
}
const names = Object.keys(documents) as (keyof typeof documents)[]
/** The version that rejected links with a request body, and the latest one. */
const generatorVersions = ['7.17.0', '7.25.0']
const [, latestGenerator = ''] = generatorVersions

/** Only `x-item-schema` of the import refers to them, because OpenAPI before 3.2 cannot describe the lines of a body. */
const schemasOfLines = ['Unused model: TenantOfLine', 'Unused model: UserLine']

/** Runs a program in a folder, and returns what it prints. */
function run(cwd: string, program: string, ...args: string[]) {
  const { stdout, stderr } = runProgram({ cwd }, program, ...args)
  return stdout + stderr
}

const it = test
  .extend('folder', async ({ task: _ }, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'usher-generators-'))
    onCleanup(() => rm(folder, { recursive: true }))
    for (const [name, document] of Object.entries(documents)) {
      await writeFile(join(folder, `${name}.json`), JSON.stringify(document))
    }
    return folder
  })
  // Installs what a test needs, or skips the test and says why it cannot run on this machine.
  .extend('orSkip', ({ skip }) => (install: () => string) => {
    try {
      return install()
    } catch (error) {
      report(`Skipped: ${error}`)
      return skip(String(error))
    }
  })

/** Returns the path of a package in node_modules of this folder. Installs it if it is missing. */
function packageOf(name: string) {
  const path = join(here, 'node_modules', name)
  if (!existsSync(path)) run(here, 'npm', 'ci')
  return path
}

/** Returns the path of openapi-generator in a folder. Downloads it from Maven Central if Maven has not yet. */
function openApiGenerator(folder: string, version: string) {
  run(folder, 'java', '-version')
  const artifact = `-Dartifact=org.openapitools:openapi-generator-cli:${version}`
  run(folder, 'mvn', '-q', '-B', 'dependency:copy', artifact, `-DoutputDirectory=${folder}`)
  return join(folder, `openapi-generator-cli-${version}.jar`)
}

/** Compiles the files of a folder for browsers with TypeScript 5.9, including the generated declarations. */
async function compileTypeScript(folder: string, files: string[]) {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  run(folder, process.execPath, join(packageOf('typescript'), 'bin/tsc'), '-p', '.')
}

const bytesOf = async (path: string) => (await readFile(path)).length

it.for(names)(
  'orval generates a client from the document %s that compiles',
  async (name, { folder, orSkip }) => {
    orSkip(() => packageOf('orval'))
    const config = { usher: { input: `${name}.json`, output: { target: 'client.ts', client: 'fetch' } } }
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'orval.config.js'), `export default ${JSON.stringify(config)}`)
    run(folder, process.execPath, join(packageOf('orval'), 'dist/bin/orval.mjs'))
    await compileTypeScript(folder, ['client.ts'])
    report(`orval, ${name}: ${await bytesOf(join(folder, 'client.ts'))} bytes, compiles`)
  },
)

it.for(generatorVersions)('openapi-generator %s accepts all documents', (version, { folder, orSkip }) => {
  const jar = orSkip(() => openApiGenerator(folder, version))
  for (const name of names) {
    const printed = run(folder, 'java', '-jar', jar, 'validate', '--recommend', '-i', `${name}.json`)
    const found = [...printed.matchAll(/^\s+- (.+)$/gm)].map(([, issue = '']) => issue)
    expect(printed, name).toContain(found.length > 0 ? 'recommendation(s)' : 'No validation issues detected')
    expect(found.sort(), name).toEqual(name.startsWith('management') ? schemasOfLines : [])
    report(`openapi-generator ${version}, ${name}: valid`)
  }
})

it.for(names)(
  'openapi-generator generates clients from the document %s that compile',
  async (name, { folder, orSkip }) => {
    const jar = orSkip(() => openApiGenerator(folder, latestGenerator))
    const generate = (language: string, ...options: string[]) =>
      run(
        folder,
        'java',
        '-jar',
        jar,
        'generate',
        '-i',
        `${name}.json`,
        '-g',
        language,
        '-o',
        language,
        ...options,
      )
    generate('java', '--library', 'native')
    run(join(folder, 'java'), 'mvn', '-q', '-B', '-Dmaven.test.skip=true', 'compile')
    expect(existsSync(join(folder, 'java/target/classes/org/openapitools/client/api/UsersApi.class'))).toBe(
      true,
    )
    orSkip(() => packageOf('typescript'))
    generate('typescript-fetch')
    await compileTypeScript(join(folder, 'typescript-fetch'), ['index.ts'])
    report(`openapi-generator ${latestGenerator}, ${name}: the clients in Java and TypeScript compile`)
  },
)
