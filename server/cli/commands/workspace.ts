import type { Command } from '@commander-js/extra-typings'
import { createWorkspace, deleteWorkspace, listWorkspaces } from '../../domain/management/workspaces.js'
import { audit } from '../../telemetry/audit.js'
import type { Host } from '../io/host.js'
import { addPageOptions, printPage } from '../io/listing.js'
import { withNewStore, withStore } from '../io/with-store.js'

export function configure(workspace: Command, host: Host) {
  workspace
    .command('create')
    .argument('<slug>', 'name of the workspace in URLs')
    .description('create a workspace')
    .option('--json', 'print the result as JSON')
    .action((slug, options) =>
      withNewStore(host, async (store, _config, log) => {
        const { id } = await createWorkspace(store, slug, new Date())
        audit(log, 'workspace.created', { workspaceId: id })
        host.print(options, { id, slug }, `Created workspace ${slug}.`)
      }),
    )
  addPageOptions(workspace.command('list'), 'slug', String)
    .description('list workspaces')
    .action((options) =>
      withStore(host, async (store) => {
        printPage(host, options, {
          rows: await listWorkspaces(store, options, host.remote?.workspaceIds),
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
      withStore(host, async (store, _config, log) => {
        const { id } = await deleteWorkspace(store, slug)
        audit(log, 'workspace.deleted', { workspaceId: id })
        host.print(options, { id, slug }, `Deleted workspace ${slug}.`)
      }),
    )
}
