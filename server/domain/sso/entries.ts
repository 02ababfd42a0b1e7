import type { SsoEntryList } from '@usher/contract'
import type { PageQuery } from '@usher/contract/management'
import { revokeMember } from '../../store/queries/member-changes.js'
import { deleteEntry, findEntryUser, listEntryRows } from '../../store/queries/sso-entries.js'
import { revokeMembers } from '../../store/queries/sso-settings.js'
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
    entries: rows.map(({ databaseId: _, tenantId: _tenant, provesFrom, ...row }) => ({
      ...row,
      linkedAt: provesFrom.toISOString(),
    })),
    next,
  }
}

/** Unlinks a person from the user, whose proofs end. Does nothing if there is no such entry. */
export async function removeSsoEntry(
  context: AppContext,
  request: SetupRequest<unknown, { entryId: string }>,
) {
  await requireConfirmedSetup(context, request)
  const { tenantId, entryId: id } = request.params
  await runChange(context, request, async (change) => {
    const { database, now, actor } = change
    const key = { databaseId: database.id, tenantId }
    const userId = await findEntryUser(change, { ...key, id })
    await lockSetup(change, tenantId, userId)
    const entry = await deleteEntry(change, { ...key, id })
    if (!entry) return { result: undefined, facts: [] }
    const actorId = actor.kind === 'user' ? actor.user.id : undefined
    await revokeMember(change, { ...key, userId: entry.userId, now, actorId })
    return { result: undefined, facts: [{ type: 'sso.entry_ended', tenantId, userId: entry.userId }] }
  })
}

/** Members whose tokens one transaction revokes. */
const membersAtOnce = 250

/**
 * Revokes what tokens of members say about a tenant, many members with many transactions. The tenant is not locked, because changes of
 * members lock their users first.
 */
export async function revokeTokens(context: AppContext, request: SetupRequest, tenantId: string) {
  let after: string | undefined
  do {
    const former = after
    after = await runChange(context, request, async (change) => {
      const { actor, now } = change
      // Only the first of the transactions counts as a change of the user.
      const actorId = former === undefined && actor.kind === 'user' ? actor.user.id : undefined
      const members = { databaseId: change.database.id, tenantId, now, actorId, after: former }
      return { result: await revokeMembers(change, members, membersAtOnce), facts: [] }
    })
  } while (after !== undefined)
}
