import { Argument, type Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import { bashScript, fishScript, type Place, zshScript } from '../io/completion-scripts.js'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }
const shells = Object.keys(scripts) as (keyof typeof scripts)[]

export const configure = (command: Command, loadSubcommands: () => Promise<unknown>) =>
  command
    .addArgument(new Argument('<shell>', 'shell that will run the script').choices(shells))
    .action(async (shell) => {
      await loadSubcommands()
      process.stdout.write(scripts[shell](placesIn(command.parent as CommandUnknownOpts)))
    })

/** Returns the place of a command, and those of its subcommands. */
function placesIn(command: CommandUnknownOpts, words = ''): Place[] {
  const subcommands = command.commands.map((each) => placesIn(each, `${words} ${each.name()}`.trimStart()))
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices)
  const options = command.options.map(({ long, short, description, argChoices, required }) => ({
    names: [long, short].filter((name) => name !== undefined && name !== null),
    description,
    choices: argChoices ?? [],
    takesValue: required,
  }))
  return [
    {
      words,
      isGroup: subcommands.length > 0,
      takesFile:
        command.registeredArguments.some((argument) => argument.name() === 'file') ||
        command.options.some(({ flags }) => flags.endsWith('<file>')),
      names: [
        ...command.commands.map((each) => ({ name: each.name(), description: each.description() })),
        ...choices.map((name) => ({ name, description: '' })),
      ],
      options: [
        ...options,
        { names: ['--help', '-h'], description: 'display help', choices: [], takesValue: false },
      ],
    },
    ...subcommands.flat(),
  ]
}
