import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { commandRights, neededFor } from '../../server/cli/remote/command-rights.js'
import { helpOf } from './command-help.js'

const text = await readFile(new URL('../../docs/cli.md', import.meta.url), 'utf8')
const [introduction = '', ...sections] = text.split(/^### /m)

/** Returns the description of each option in a section of the document. */
const documentedOptions = (part: string) =>
  new Map(
    [...part.matchAll(/^\| `(-.*?)` \|(.*)$/gm)].map(([, flags = '', meaning = '']) => [flags, meaning]),
  )
const common = documentedOptions(introduction)

const commands = await helpOf()

it('docs/cli.md has the usage of exactly the existing commands', () => {
  const usages = sections.map((section) =>
    section
      .match(/^(usher [a-z -]*)\n\n```text\n\1(.*)\n```\n/)
      ?.slice(1)
      .join(''),
  )
  expect(usages.sort()).toEqual(commands.map(({ usage }) => usage).sort())
})

it.each(commands)(
  'docs/cli.md has the options of $usage with their defaults and choices',
  ({ usage, options }) => {
    const section = sections.find((each) => each.includes(`\`\`\`text\n${usage}\n`)) ?? ''
    const documented = documentedOptions(section)
    options.delete('-h, --help')
    expect([...options.keys()].filter((flags) => !documented.has(flags) && !common.has(flags))).toEqual([])
    expect([...documented.keys()].filter((flags) => !options.has(flags))).toEqual([])
    for (const [flags, help] of options) {
      const meaning = documented.get(flags) ?? common.get(flags)
      const values = [...help.matchAll(/(?:choices:|default:|,) "?(\w+)"?(?=[,)])/g)].map(
        ([, value]) => value,
      )
      for (const value of help.includes('(') ? values : []) expect(meaning).toContain(value)
    }
  },
)

/** Returns who may run a command on another machine, and whether with a confirmation. */
function rightOf(name: string) {
  if (commandRights[name] === 'host') return { role: 'the host only', confirms: false }
  const { right, confirms } = neededFor({
    name,
    options: name === 'user create' ? { password: false } : {},
  })
  const role = right.operator === 'member' ? 'viewer' : `\`${right.operator}\``
  return { role: right.in === 'installation' ? `${role} of the installation` : role, confirms }
}

it('docs/cli.md has the least role of each command of another machine', () => {
  const rights = Object.keys(commandRights).map((name) => ({ name, ...rightOf(name) }))
  const rows = [...new Set(rights.map(({ role }) => role))].map((role) => {
    const [plain, confirmed] = [false, true].map((confirms) =>
      rights.flatMap((each) => (each.role === role && each.confirms === confirms ? `\`${each.name}\`` : [])),
    )
    return `| ${role} | ${plain?.join(', ')} | ${confirmed?.join(', ')} |`
  })
  for (const row of rows) expect(introduction).toContain(row)
})
