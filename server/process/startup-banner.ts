import type { DatabasePath } from '@usher/contract'
import { databaseUrl } from '../domain/databases/find-database.js'

/** What a start on the embedded store prints: where it serves, and three lines that work when pasted into a shell. */
export function startupBanner(baseUrl: string, path: DatabasePath) {
  const users = `${databaseUrl(baseUrl, path)}/users`
  const credentials = `{"email":"ada@example.com","password":"correct horse battery"}`
  const token = `$(curl -s ${users}/login -d '${credentials}' | sed 's/.*"jwt":"\\([^"]*\\).*/\\1/')`
  return `
Usher serves on ${baseUrl}. Sign up, log in, who am I:

curl ${users} -d '${credentials}'
curl ${users}/login -d '${credentials}'
curl ${users}/me -H "Authorization: Bearer ${token}"

`
}
