import { type DatabaseSettings, settingEntries } from '@usher/contract/settings'

/** Returns the settings among the columns of a database. */
export const settingsOf = (row: Omit<DatabaseSettings, 'claims'> & { claims: unknown }) =>
  Object.fromEntries(settingEntries.map(([name]) => [name, row[name]])) as DatabaseSettings
