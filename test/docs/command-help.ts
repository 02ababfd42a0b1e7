import { runUsher } from '../support/command-line.js'

/** Usage and options of a command, as printed by --help. */
export interface CommandHelp {
  /** Such as `usher user show <workspace/name> <user>`. */
  usage: string
  /** Description by flags. */
  options: Map<string, string>
}

/** Returns the help of each command, or of those that begin with some words. */
export async function helpOf(names: string[] = []): Promise<CommandHelp[]> {
  const { stdout } = await runUsher([...names, '--help'], {})
  // A line with more indentation continues the previous one.
  const help = stdout.replace(/\n {3,}(?=[^ -])/g, ' ')
  const [, subcommands] = help.split('\nCommands:\n')
  if (subcommands === undefined) {
    const [, usage = ''] = help.match(/^Usage: (.*)$/m) ?? []
    const [, list = ''] = help.match(/^Options:\n((?: {2}.*\n)*)/m) ?? []
    const options = [...list.matchAll(/^ {2}(-.*?) {2,}(.*)$/gm)].map(([, flags = '', rest = '']) => [
      flags,
      rest,
    ])
    return [{ usage: usage.replace(' [options]', ''), options: new Map(options as [string, string][]) }]
  }
  const all = []
  for (const [, name = ''] of subcommands.matchAll(/^ {2}(\S+)/gm)) {
    if (name !== 'help') all.push(...(await helpOf([...names, name])))
  }
  return all
}
