import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
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
  const [snippet] = (await snippetsOf('docs/verify.md')).filter((each) => each.heading === heading)
  if (!snippet) throw new Error(`docs/verify.md has no recipe ${heading}`)
  return {
    remove,
    /**
     * Builds the recipe and runs it on tokens. Returns a line for each.
     *
     * @param change changes the code
     */
    async verify(issuer: string, tokens: string[], change = (code: string) => code) {
      const code = snippet.code.replace('http://localhost:3000/workspaces/demo/databases/app', issuer)
      await writeFile(join(folder, file), change(code))
      for (const command of build) await runCommand(command, folder)
      const output = await runCommand(run, folder, `${tokens.join('\n')}\n`)
      return output.trimEnd().split('\n')
    },
  }
}
