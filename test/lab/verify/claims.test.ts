import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { snippetsOf } from '../../support/snippets.js'
import { runCommand } from './recipes.js'

/** The programs of a language, with the file of its function from the document. */
const programs = {
  python: { file: 'roles.py', commands: [['python3', 'main.py']] },
  go: { file: 'roles.go', commands: [['go', 'run', 'main.go', 'roles.go']] },
  java: {
    file: 'Roles.java',
    commands: [
      ['javac', 'Roles.java', 'Main.java'],
      ['java', '-cp', '.', 'Main'],
    ],
  },
  rust: { file: 'roles.rs', commands: [['rustc', 'main.rs'], ['./main']] },
} as const

const snippets = (await snippetsOf('docs/verify.md')).filter(
  ({ heading, language }) => heading === 'The role in a tenant' && language in programs,
)

it.for(snippets)(
  'the role in a tenant in $language is known only to its members, if the token says it',
  async ({ language, code }, { onTestFinished }) => {
    const { file, commands } = programs[language as keyof typeof programs]
    const folder = await mkdtemp(join(tmpdir(), 'usher-roles-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await cp(fileURLToPath(new URL('roles', import.meta.url)), folder, { recursive: true })
    await writeFile(join(folder, file), code)
    let output = ''
    for (const command of commands) output = await runCommand(command, folder)
    expect(output.split('\n').slice(0, -1)).toEqual(['owner', 'member', '', '', '', ''])
  },
)

it('docs/verify.md has the role in a tenant in each language', () => {
  expect(snippets.map(({ language }) => language).sort()).toEqual(Object.keys(programs).sort())
})
