import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build as bundle } from 'esbuild'
import { snippetsOf } from '../../support/snippets.js'

type Command = readonly [program: string, ...args: string[]]

/** A recipe of docs/verify.md in a language that needs a toolchain. */
interface Recipe {
  heading: string
  /** Its program and its dependencies, in this folder. */
  folder: string
  /** File of the code from the document. */
  file: string
  /** Installs the dependencies. */
  install: readonly Command[]
  build: readonly Command[]
  /** Prints `accepted` and the ID of the user, or `refused` and the reason, for each line of its input. */
  run: Command
}

const jars = {
  install: [['mvn', '-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib']],
} as const
const java = {
  ...jars,
  file: 'AccessTokens.java',
  build: [['javac', '-cp', 'lib/*', '-d', '.', 'AccessTokens.java', 'Main.java']],
  run: ['java', '-cp', `lib/*${delimiter}.`, 'Main'],
} as const
const go = {
  file: 'recipe.go',
  install: [['go', 'mod', 'download']],
  build: [['go', 'build', '-o', 'recipe', '.']],
  run: ['./recipe'],
} as const

export const recipes: readonly Recipe[] = [
  {
    heading: 'Python with PyJWT',
    folder: 'python',
    file: 'recipe.py',
    install: [
      ['python3', '-m', 'venv', 'venv'],
      ['venv/bin/pip', 'install', '-q', '-r', 'requirements.txt'],
    ],
    build: [],
    run: ['venv/bin/python', 'main.py'],
  },
  { heading: 'Go with jwx', folder: 'go-jwx', ...go },
  { heading: 'Go with go-oidc', folder: 'go-oidc', ...go },
  { heading: 'Java with Nimbus', folder: 'java-nimbus', ...java },
  { heading: 'Java with Spring Security', folder: 'java-spring', ...java },
  {
    heading: 'Rust with jsonwebtoken',
    folder: 'rust',
    file: 'recipe.rs',
    install: [['cargo', 'fetch', '-q', '--locked']],
    build: [['cargo', 'build', '-q', '--locked']],
    run: ['target/debug/recipe'],
  },
]

/** Runs a program to its end, and returns its output. Throws if it fails or does not exist. */
export async function runCommand([program, ...args]: Command, cwd: string, input = '') {
  const child = spawn(program, args, { cwd })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text
  })
  child.stdin.on('error', () => undefined).end(input)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${output.stdout}${output.stderr}`)
  return output.stdout
}

/**
 * Copies a recipe to a temporary folder and installs its dependencies.
 *
 * @throws if its toolchain or its dependencies cannot be had on this machine
 */
export async function installRecipe({ folder: name, heading, file, install, build, run }: Recipe) {
  const folder = await mkdtemp(join(tmpdir(), `usher-verify-${name}-`))
  const remove = () => rm(folder, { recursive: true })
  try {
    await cp(fileURLToPath(new URL(name, import.meta.url)), folder, { recursive: true })
    for (const command of install) await runCommand(command, folder)
  } catch (error) {
    await remove()
    throw error
  }
  const snippet = await codeOf(heading)
  const prepare = async (issuer: string, change = (code: string) => code) => {
    await writeFile(join(folder, file), change(snippet.replace(exampleIssuer, issuer)))
    for (const command of build) await runCommand(command, folder)
  }
  return {
    remove,
    /** Builds the recipe and starts it. It runs until `stop` is called. */
    async start(issuer: string) {
      await prepare(issuer)
      return startVerifying(run, folder)
    },
    /**
     * Builds the recipe and runs it on tokens. Returns a line for each.
     *
     * @param change changes the code
     */
    async verify(issuer: string, tokens: string[], change?: (code: string) => string) {
      await prepare(issuer, change)
      const output = await runCommand(run, folder, `${tokens.join('\n')}\n`)
      return output.trimEnd().split('\n')
    },
  }
}

const exampleIssuer = 'http://localhost:3000/workspaces/demo/databases/app'

/** Returns the code of a recipe. Its section begins with the command that installs the packages. */
async function codeOf(heading: string) {
  const snippets = await snippetsOf('docs/verify.md')
  const code = snippets.findLast((each) => each.heading === heading)?.code
  if (!code) throw new Error(`docs/verify.md has no recipe ${heading}`)
  return code
}

/** Starts a program that prints a line for each token. */
function startVerifying([program, ...args]: Command, cwd: string) {
  const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async verify(token: string): Promise<string> {
      child.stdin.write(`${token}\n`)
      const { value, done } = await lines.next()
      if (done) throw new Error(`${program} ended`)
      return value
    },
    async stop() {
      child.kill('SIGKILL')
      await once(child, 'close')
    },
  }
}

/** Bundles a recipe for Node with the packages of this repository, and starts it. */
export async function startNodeRecipe(heading: string, issuer: string) {
  const [baseUrl, workspace, database] = issuer.split(/\/workspaces\/|\/databases\//)
  const code = (await codeOf(heading))
    .replace(exampleIssuer, issuer)
    .replace('http://localhost:3000', `${baseUrl}`)
    .replace("workspace: 'demo'", `workspace: '${workspace}'`)
    .replace("database: 'app'", `database: '${database}'`)
  const { outputFiles } = await bundle({
    stdin: { contents: code + printResults, loader: 'ts', resolveDir: resolve('test/verify') },
    bundle: true,
    conditions: ['@usher/source'],
    platform: 'node',
    format: 'esm',
    write: false,
  })
  const folder = await mkdtemp(join(tmpdir(), 'usher-verify-node-'))
  await writeFile(join(folder, 'main.mjs'), outputFiles[0]?.contents ?? '')
  const started = startVerifying([process.execPath, 'main.mjs'], folder)
  return { ...started, stop: () => started.stop().finally(() => rm(folder, { recursive: true })) }
}

const printResults = `
import { createInterface } from 'node:readline'
for await (const token of createInterface({ input: process.stdin })) {
  const [word, more] = await verifyToken(token).then((user) => ['accepted', user.userId ?? user.sub], (error) => ['refused', error])
  process.stdout.write(\`\${word} \${String(more).replaceAll('\\n', ' ')}\\n\`)
}
`
