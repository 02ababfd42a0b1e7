import type { Command } from 'commander'
import { createWorkspace, deleteWorkspace, listWorkspaces } from '../../domain/admin/workspaces.js'
import { audit } from '../../telemetry/audit.js'
import { addPageOptions, printPage } from '../io/listing.js'
import { print, withStore } from '../io/with-store.js'

export function addWorkspaceCommands(program: Command) {
  const workspace = program.command('workspace').description('workspaces, which own databases')
  workspace
    .command('create')
    .argument('<slug>', 'its name in paths')
    .description('make a workspace')
    .option('--json', 'print JSON')
    .action((slug: string, options) =>
      withStore(async (store, _config, log) => {
        const { id } = await createWorkspace(store, slug, new Date())
        audit(log, 'workspace.created', { workspaceId: id })
        print(options, { id, slug }, `Made workspace ${slug}.`)
      }),
    )
  addPageOptions(workspace.command('list'), 'slug', String)
    .description('list the workspaces')
    .action((options) =>
      withStore(async (store) => {
        printPage(options, await listWorkspaces(store, options), {
          line: ({ slug, id, databases }) => `${slug}  ${id}  databases: ${databases}`,
          key: ({ slug }) => slug,
          none: 'There is no workspace yet.',
        })
      }),
    )
  workspace
    .command('delete')
    .argument('<slug>', 'its name in paths')
    .description('delete a workspace that has no database')
    .option('--json', 'print JSON')
    .action((slug: string, options) =>
      withStore(async (store, _config, log) => {
        const { id } = await deleteWorkspace(store, slug)
        audit(log, 'workspace.deleted', { workspaceId: id })
        print(options, { id, slug }, `Deleted workspace ${slug}.`)
      }),
    )
}
