import type { DatabasePath } from '@usher/contract'
import { databaseUrl } from '../domain/databases/find-database.js'

/** Returns the text printed at start with the embedded store: the address, and three commands to paste into a shell. */
export function startupBanner(baseUrl: string, path: DatabasePath) {
  const users = `${databaseUrl(baseUrl, path)}/users`
  const credentials = `{"email":"ada@example.com","password":"correct horse battery"}`
  const token = `$(curl -s ${users}/login -d '${credentials}' | sed 's/.*"jwt":"\\([^"]*\\).*/\\1/')`
  return `
Usher is listening on ${baseUrl}. Sign up, log in, get the user:

curl ${users} -d '${credentials}'
curl ${users}/login -d '${credentials}'
curl ${users}/me -H "Authorization: Bearer ${token}"

`
}
