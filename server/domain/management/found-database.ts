import type { DatabasePath } from '@usher/contract'
import type { Store } from '../../store/store.js'
import type { DatabaseRow } from '../databases/find-database.js'
import { requireDatabase } from './databases.js'

/** A database with what the rules of users and tenants need. The database of a request may be up to 5 s old. */
export type FoundDatabase = DatabasePath &
  Pick<
    DatabaseRow,
    | 'id'
    | 'webhookUrl'
    | 'eventsTailedUntil'
    | 'eventsKept'
    | 'passwordPolicy'
    | 'dummyHashes'
    | 'accountOperations'
    | 'tenantOperations'
    | 'appUrl'
    | 'roles'
    | 'noticePasswordChanged'
    | 'noticeEmailChanged'
    | 'noticeAccountDeleted'
    | 'noticeNewNetwork'
    | 'noticeSessionReused'
  > & { invitationLifetimeSeconds: number }

/** The parameter of a rule: the database of a request, which is already found, or the path that an operator types. */
export type DatabaseRef = FoundDatabase | DatabasePath

/** Returns a database. @throws {OperatorError} if there is none with the path */
export async function findDatabase(store: Store, ref: DatabaseRef): Promise<FoundDatabase> {
  if ('dummyHashes' in ref) return ref
  const { workspaceSlug, databaseName } = ref
  const row = await requireDatabase(store, ref)
  return { workspaceSlug, databaseName, ...row, invitationLifetimeSeconds: row.invitationLifetime }
}
