import type { Command } from '@commander-js/extra-typings'
import type { Cli } from '../io/cli.js'
import { addPageOptions, pageOf, printPage } from '../io/listing.js'

export function configure(workspace: Command, { host, call }: Cli) {
  workspace
    .command('create')
    .argument('<slug>', 'name of the workspace in URLs')
    .description('create a workspace')
    .option('--json', 'print the result as JSON')
    .action(async (slug, options) => {
      const created = await call('createWorkspace', { body: { slug } })
      host.print(options, created, `Created workspace ${slug}.`)
    })
  addPageOptions(workspace.command('list'), 'slug', String)
    .description('list workspaces')
    .action(async (options) => {
      const body = await call('listWorkspaces', { query: pageOf(options) })
      printPage(host, options, {
        body,
        rows: body.workspaces,
        columns: {
          SLUG: ({ slug }) => slug,
          ID: ({ id }) => id,
          DATABASES: ({ databases }) => databases,
        },
        empty: 'No workspaces yet.',
      })
    })
  workspace
    .command('delete')
    .argument('<slug>', 'name of the workspace in URLs')
    .description('delete a workspace that has no databases')
    .option('--json', 'print the result as JSON')
    .action(async (slug, options) => {
      const deleted = await call('deleteWorkspace', { body: { slug } })
      host.print(options, deleted, `Deleted workspace ${slug}.`)
    })
}
