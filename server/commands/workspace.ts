import type { Command } from 'commander'
import { createWorkspace } from '../domain/workspaces.js'
import { print, withStore } from './with-store.js'

export function addWorkspaceCommands(program: Command) {
  const workspace = program.command('workspace').description('workspaces, which own databases')
  workspace
    .command('create')
    .argument('<slug>', 'its name in paths')
    .description('make a workspace')
    .option('--json', 'print JSON')
    .action((slug: string, options) =>
      withStore(async (store) => {
        const { id } = await createWorkspace(store, slug, new Date())
        print(options, { id, slug }, `Made workspace ${slug}.`)
      }),
    )
}
