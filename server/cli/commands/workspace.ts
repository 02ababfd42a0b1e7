import type { Command } from '@commander-js/extra-typings'
import { createWorkspace, deleteWorkspace, listWorkspaces } from '../../domain/management/workspaces.js'
import { audit } from '../../telemetry/audit.js'
import { addPageOptions, printPage } from '../io/listing.js'
import { print, withNewStore, withStore } from '../io/with-store.js'

export function configure(workspace: Command) {
  workspace
    .command('create')
    .argument('<slug>', 'name of the workspace in URLs')
    .description('create a workspace')
    .option('--json', 'print the result as JSON')
    .action((slug, options) =>
      withNewStore(async (store, _config, log) => {
        const { id } = await createWorkspace(store, slug, new Date())
        audit(log, 'workspace.created', { workspaceId: id })
        print(options, { id, slug }, `Created workspace ${slug}.`)
      }),
    )
  addPageOptions(workspace.command('list'), 'slug', String)
    .description('list workspaces')
    .action((options) =>
      withStore(async (store) => {
        printPage(options, await listWorkspaces(store, options), {
          columns: {
            SLUG: ({ slug }) => slug,
            ID: ({ id }) => id,
            DATABASES: ({ databases }) => databases,
          },
          key: ({ slug }) => slug,
          empty: 'No workspaces yet.',
        })
      }),
    )
  workspace
    .command('delete')
    .argument('<slug>', 'name of the workspace in URLs')
    .description('delete a workspace that has no databases')
    .option('--json', 'print the result as JSON')
    .action((slug, options) =>
      withStore(async (store, _config, log) => {
        const { id } = await deleteWorkspace(store, slug)
        audit(log, 'workspace.deleted', { workspaceId: id })
        print(options, { id, slug }, `Deleted workspace ${slug}.`)
      }),
    )
}
