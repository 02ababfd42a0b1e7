import type { UserLine } from '@usher/contract/management'
import { listUsersToExport } from '../../../store/queries/management/export-users.js'
import type { Store } from '../../../store/store.js'
import { lineOf } from './user-line.js'

const pageUsers = 500

/**
 * Yields every user of a database, ordered by id, as the line that `readUserLine` reads. Reads users page by page. A
 * user who changes meanwhile is written in the state before or after the change.
 */
export async function* exportUsers(store: Store, databaseId: string): AsyncGenerator<UserLine> {
  let after: string | undefined
  for (;;) {
    const users = await listUsersToExport(store, databaseId, { limit: pageUsers, ...(after && { after }) })
    for (const user of users) {
      yield lineOf(user)
      after = user.id
    }
    if (users.length < pageUsers) return
  }
}
