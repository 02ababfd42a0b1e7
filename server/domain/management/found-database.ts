import type { DatabasePath } from '@usher/contract'
import type { Store } from '../../store/store.js'
import { type RuleDatabase, ruleDatabase } from '../databases/find-database.js'
import { requireDatabase } from './databases.js'

export type FoundDatabase = RuleDatabase

/** The parameter of a rule: the database of a request, which is already found, or the path that an operator types. */
export type DatabaseRef = RuleDatabase | DatabasePath

/** Returns a database. @throws {Problem} if there is none with the path */
export const findDatabase = async (store: Store, ref: DatabaseRef): Promise<RuleDatabase> =>
  'dummyHashes' in ref ? ref : ruleDatabase(await requireDatabase(store, ref), ref)
