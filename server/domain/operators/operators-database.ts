import type { DatabasePath } from '@usher/contract'
import { defaultSettings } from '@usher/contract/settings'
import { findOperatorsRow } from '../../store/queries/databases.js'
import { updateDatabase } from '../../store/queries/management/databases.js'
import type { Store } from '../../store/store.js'
import { nameOfDatabase } from '../database-name.js'
import { requireSameDomain } from '../databases/require-same-domain.js'
import { createDatabase } from '../management/databases.js'
import { ensureWorkspace } from '../management/workspaces.js'
import { Problem } from '../problem.js'

/** What a server or a command needs to create the operators' database. */
interface Creation {
  store: Store
  now: Date
  /** URL of the console, to which links in mails lead. */
  consoleUrl: string
}

const halfDaySeconds = 43_200
const workspaceSlug = 'usher'
/** How many names are tried, because a customer may have taken the first ones. */
const maxNames = 100

/**
 * Creates the database whose users are the operators, unless there is one.
 *
 * @returns its path, its id and the stored URL of the console
 */
export async function ensureOperatorsDatabase(creation: Creation) {
  const { store, now } = creation
  const found = await findOperatorsRow(store)
  if (found) return found
  await ensureWorkspace(store, workspaceSlug, now)
  await insert(creation)
  return findOperatorsRow(store)
}

/**
 * Stores the URL of the console if it has changed. Only a server does it: a command may have other settings.
 *
 * @throws {Problem} `passkeys_in_use` if operators have passkeys, which would not work there
 */
export async function moveConsole(store: Store, consoleUrl: string) {
  const database = await findOperatorsRow(store)
  if (!database || database.appUrl === consoleUrl) return
  const changes = { appUrl: consoleUrl }
  const move = store.transaction(database.id, async (query) => {
    await requireSameDomain({ query, database }, changes)
    await updateDatabase({ query }, database, changes)
  })
  await move.catch((error) => {
    if (!(error instanceof Problem) || error.code !== 'passkeys_in_use') throw error
    throw new Problem('passkeys_in_use', {
      detail: `CONSOLE_URL, by default BASE_URL/console, moves the console to ${consoleUrl}, but operators have passkeys that work only at ${database.appUrl}. Set CONSOLE_URL to that, or accept that these passkeys stop working: npx @usher/server database set ${nameOfDatabase(database)} --app-url ${consoleUrl} --force`,
      cause: error,
    })
  })
}

async function insert({ store, now, consoleUrl }: Creation) {
  for (let count = 1; count <= maxNames; count++) {
    const path: DatabasePath = {
      workspaceSlug,
      databaseName: count === 1 ? 'operators' : `operators-${count}`,
    }
    const created = await createDatabase({ store, now }, path, {
      signUp: false,
      tenantOperations: false,
      secondFactor: 'required',
      sessionMax: halfDaySeconds,
      sessionIdle: Math.min(halfDaySeconds, defaultSettings.sessionIdle),
      roles: ['support'],
      requireVerifiedInviter: false,
      noticeFactor: true,
      noticeNewNetwork: true,
      // The console has no bot check.
      botCheck: 'off',
      appUrl: consoleUrl,
      isOperators: true,
    }).catch((error) => {
      if (error instanceof Problem && error.code === 'database_exists') return undefined
      throw error
    })
    // Also if another server has created it.
    if (created || (await findOperatorsRow(store))) return
  }
}

/** Returns the operators' database. @throws {Problem} `route_not_found` if there is none */
export async function requireOperators<Found>({
  findOperators,
}: {
  findOperators: () => Promise<Found | undefined>
}): Promise<Found> {
  const operators = await findOperators()
  if (!operators) throw new Problem('route_not_found')
  return operators
}
