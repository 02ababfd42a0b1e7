import { PassThrough } from 'node:stream'
import { mailSettings, settings } from '@usher/contract/settings'
import { ownProcess } from '../../server/dist/cli/io/host.js'
import { run } from '../../server/dist/cli/program.js'
import { commandRights, neededFor } from '../../server/dist/cli/remote/command-rights.js'
import { sentence, table } from './markdown.js'
import { optionOf } from './settings.js'

/** Returns what a command prints with `--help`. A line with more indentation continues the previous one. */
async function helpOf(names) {
  const stdout = new PassThrough({ encoding: 'utf8' })
  await run([...names, '--help'], { ...ownProcess(), stdout })
  return stdout.read().replace(/\n {3,}(?=[^ -])/g, ' ')
}

/** Returns the terms and descriptions of a list in the help. */
const listIn = (help, title) => {
  const [, list = ''] = help.match(new RegExp(`^${title}:\\n((?: {2}.*\\n?)*)`, 'm')) ?? []
  return [...list.matchAll(/^ {2}(\S.*?) {2,}(.*)$/gm)].map(([, term, text]) => [term, text])
}

/** Options that every command has are described once. */
const common = ['-h, --help', '--json']

const ofSettings = Object.keys({ ...settings, ...mailSettings }).map(optionOf)

/** Commands that work on no store. */
const withoutStore = ['login', 'logout', 'openapi']

/** Returns who may run a command on a server of another machine. */
function rightOf(name) {
  if (withoutStore.includes(name)) return ''
  if (commandRights[name] === 'host') return 'Only the machine of the server can run it.'
  const { right, confirms } = neededFor({ name, options: name === 'user create' ? { password: false } : {} })
  const where = right.in === 'installation' ? ' of the installation' : ''
  return `On another machine: \`${right.operator}\`${where}${confirms ? ', with a confirmation' : ''}.`
}

/** Yields the sections of the commands that begin with some words. */
async function* sectionsOf(names) {
  const help = await helpOf(names)
  const subcommands = listIn(help, 'Commands').map(([term]) => term.split(' ')[0])
  const [, usage, description] = help.match(/^Usage: (.*)\n\n(.*?)\n\n/s)
  if (names.length === 1 && subcommands.length > 0) yield `## usher ${names}\n\n${sentence(description)}`
  for (const name of subcommands) if (name !== 'help') yield* sectionsOf([...names, name])
  if (subcommands.length > 0) return
  const all = listIn(help, 'Options').filter(([term]) => !common.includes(term))
  const options = all.filter(([term]) => !ofSettings.includes(term.split(' ')[0]))
  yield [
    `${names.length > 1 ? '###' : '##'} usher ${names.join(' ')}`,
    `\`\`\`text\n${usage.replace(' [options]', '')}\n\`\`\``,
    `${sentence(description.replaceAll('\n', ' '))} ${rightOf(names.join(' '))}`.trim(),
    ...(options.length < all.length ? ['It also has the options of the [settings](settings.md).'] : []),
    ...(options.length > 0
      ? [
          table(
            ['option', 'meaning'],
            options.map(([term, text]) => [`\`${term}\``, text]),
          ),
        ]
      : []),
  ].join('\n\n')
}

/** All commands with their options. */
let text = ''
for await (const section of sectionsOf([])) text += `${text && '\n\n'}${section}`
export const commands = text
