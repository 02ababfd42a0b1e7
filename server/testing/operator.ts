import type { DatabasePath } from '@usher/contract'
import { mailSettings } from '@usher/contract/settings'
import { pino } from 'pino'
import type { ChangeContext } from '../domain/change.js'
import { createApiKey } from '../domain/management/api-keys.js'
import { createDatabase, findDatabase } from '../domain/management/databases.js'
import { changeMailSettings } from '../domain/management/mail-settings.js'
import { ensureWorkspace } from '../domain/management/workspaces.js'
import type { Store } from '../store/store.js'
import { ApiKeyOptions, DatabaseOptions } from './options.js'

/** Returns a function that creates a database, and its workspace if necessary. */
export function databaseCreator(store: Store, now: () => number) {
  let count = 0
  return async (options: DatabaseOptions) => {
    count += 1
    const {
      workspace = 'demo',
      database = count === 1 ? 'app' : `app-${count}`,
      tokenMaxAgeSeconds = null,
      appUrl = 'https://app.example.com',
      // All users of a test come from one network.
      signUpsPerHour = 0,
      ...others
    } = DatabaseOptions.parse(options)
    const isOfMails = (name: string) => name === 'mailTemplates' || Object.hasOwn(mailSettings, name)
    const [mails, settings] = [true, false].map((is) =>
      Object.fromEntries(Object.entries(others).filter(([name]) => isOfMails(name) === is)),
    )
    const path = { workspaceSlug: workspace, databaseName: database }
    const createdAt = new Date(now())
    await ensureWorkspace(store, workspace, createdAt)
    await createDatabase({ store, now: createdAt }, path, {
      ...settings,
      tokenMaxAge: tokenMaxAgeSeconds,
      appUrl,
      signUpsPerHour,
    })
    if (Object.keys(mails ?? {}).length > 0)
      await changeMailSettings(
        { store, now, deliver: () => undefined },
        { ...(await requestOfOperator(store, path)), body: mails ?? {} },
      )
    return { workspace, database }
  }
}

/** Returns a request of an operator to change a database. */
export const requestOfOperator = async (store: Store, path: DatabasePath) => ({
  database: await findDatabase(store, path),
  caller: { log: pino({ level: 'silent' }) },
  actor: { kind: 'operator' } as const,
})

export async function newApiKey(context: ChangeContext & { store: Store }, options: unknown) {
  const { workspace: workspaceSlug, database: databaseName, scopes } = ApiKeyOptions.parse(options)
  const request = await requestOfOperator(context.store, { workspaceSlug, databaseName })
  const body = { name: 'test', scopes, expiresInDays: 365 }
  return (await createApiKey(context, { ...request, body })).key
}
