import type { SsoEntryList } from '@usher/contract'
import type { PageQuery } from '@usher/contract/management'
import { deleteEntry, listEntryRows } from '../../store/queries/sso-entries.js'
import { runChange } from '../change.js'
import type { AppContext } from '../context.js'
import { readPage } from '../page.js'
import { lockSetup, requireConfirmedSetup, requireSetup, type SetupRequest } from './setup.js'

/** Returns a page of the people whom the provider of a tenant has named, ordered by id. */
export async function listSsoEntries(
  context: AppContext,
  request: SetupRequest & { query: PageQuery },
): Promise<SsoEntryList> {
  await requireSetup(context, request)
  const { database, params, query } = request
  const key = { databaseId: database.id, tenantId: params.tenantId }
  const { rows, next } = await readPage(query, (page) => listEntryRows(context.store, key, page))
  return {
    entries: rows.map(({ databaseId: _, tenantId: _tenant, provesFrom: _from, ...row }) => row),
    next,
  }
}

/** Unlinks a person from the user. Does nothing if there is no such entry. */
export async function removeSsoEntry(
  context: AppContext,
  request: SetupRequest<unknown, { entryId: string }>,
) {
  await requireConfirmedSetup(context, request)
  const { tenantId, entryId: id } = request.params
  await runChange(context, request, async (change) => {
    await lockSetup(change, tenantId)
    const entry = await deleteEntry(change, { databaseId: change.database.id, tenantId, id })
    return {
      result: undefined,
      facts: entry ? [{ type: 'sso.entry_removed', tenantId, userId: entry.userId }] : [],
    }
  })
}
