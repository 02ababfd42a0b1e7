import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { snippetsOf } from '../../support/snippets.js'
import { runCommand } from './recipes.js'

/** Functions of docs/verify.md over the claims of a token, and what the programs of a folder print with them. */
const functions = [
  {
    heading: 'The role in a tenant',
    folder: 'roles',
    javaClass: 'Roles',
    expected: ['owner', 'member', '', '', '', ''],
  },
  {
    heading: 'Sensitive actions',
    folder: 'sensitive',
    javaClass: 'SensitiveActions',
    expected: ['recent', 'recent', '', '', '', ''],
  },
]

/** The programs of a language, with the file of its function from the document. */
const programsOf = ({ folder, javaClass }: { folder: string; javaClass: string }) => ({
  python: { file: `${folder}.py`, commands: [['python3', 'main.py']] },
  go: { file: `${folder}.go`, commands: [['go', 'run', 'main.go', `${folder}.go`]] },
  java: {
    file: `${javaClass}.java`,
    commands: [
      ['javac', `${javaClass}.java`, 'Main.java'],
      ['java', '-cp', '.', 'Main'],
    ],
  },
  rust: { file: `${folder}.rs`, commands: [['rustc', 'main.rs'], ['./main']] },
})

const snippets = await snippetsOf('docs/verify.md')

describe.for(functions)('the section $heading', ({ heading, folder: name, javaClass, expected }) => {
  const programs = programsOf({ folder: name, javaClass })
  it.for(Object.entries(programs))(
    'has a function in %s that returns nothing for other claims',
    async ([language, { file, commands }], { onTestFinished }) => {
      const [snippet] = snippets.filter((each) => each.heading === heading && each.language === language)
      const folder = await mkdtemp(join(tmpdir(), `usher-${name}-`))
      onTestFinished(() => rm(folder, { recursive: true }))
      await cp(fileURLToPath(new URL(name, import.meta.url)), folder, { recursive: true })
      await writeFile(join(folder, file), snippet?.code ?? '')
      let output = ''
      for (const command of commands) output = await runCommand(command as [string], folder)
      expect(output.split('\n').slice(0, -1)).toEqual(expected)
    },
  )
})
