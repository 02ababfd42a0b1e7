import { readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { operatorRightOf } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import { operatorContract } from '@usher/contract/operator'
import { mailSettings, settings } from '@usher/contract/settings'
import { ownProcess } from '../../server/dist/cli/io/host.js'
import { run } from '../../server/dist/cli/program.js'
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

/** The operation whose role and confirmation a command needs on another machine. A test compares it with what each command sends. */
const commandOperations = JSON.parse(
  readFileSync(new URL('command-operations.json', import.meta.url), 'utf8'),
)

const metadataOf = new Map(
  [managementContract, operatorContract].flatMap((contract) =>
    Object.values(contract).flatMap((routes) =>
      Object.entries(routes).map(([name, { metadata }]) => [name, metadata]),
    ),
  ),
)

/** Fields that a command always sends. */
const sentFields = { 'user set-email': 'email' }

/** Commands that work on no store. */
const withoutStore = ['login', 'logout', 'openapi']

/** Returns who may run a command on a server of another machine. */
function rightOf(name) {
  if (withoutStore.includes(name)) return ''
  const metadata = metadataOf.get(commandOperations[name])
  const right = metadata && operatorRightOf(metadata)
  if (!right) return 'Only the machine of the server can run it.'
  const field = metadata.fields?.find((each) => each.name === sentFields[name])
  const confirms = metadata.confirms || field?.operator === 'confirms'
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
