import type { DatabasePath } from '@usher/contract'
import type { Config } from '../config.js'
import { databaseUrl } from '../domain/databases/find-database.js'

/** Returns the text printed at start with the embedded store, with three commands to paste into a shell. */
export function startupBanner({ baseUrl, docs }: Pick<Config, 'baseUrl' | 'docs'>, path: DatabasePath) {
  const users = `${databaseUrl(baseUrl, path)}/users`
  const credentials = `{"email":"ada@example.com","password":"correct horse battery"}`
  const token = `$(curl -s ${users}/login -d '${credentials}' | sed 's/.*"jwt":"\\([^"]*\\).*/\\1/')`
  const reference = docs ? `\nAPI reference  ${baseUrl}/docs` : ''
  return `
Usher is listening on ${baseUrl}.
${reference}
Example app    ${exampleSettings(baseUrl, path)}npm run example (in the repository of Usher)

Sign up, log in, get the user:

curl ${users} -d '${credentials}'
curl ${users}/login -d '${credentials}'
curl ${users}/me -H "Authorization: Bearer ${token}"

`
}

/** Returns the settings of sdk/example that differ from its defaults, as the start of a command. */
function exampleSettings(baseUrl: string, { workspaceSlug, databaseName }: DatabasePath) {
  const settings = [
    ['VITE_USHER_URL', baseUrl, 'http://localhost:3000'],
    ['VITE_USHER_WORKSPACE', workspaceSlug, 'demo'],
    ['VITE_USHER_DATABASE', databaseName, 'app'],
  ]
  return settings.map(([name, value, initial]) => (value === initial ? '' : `${name}=${value} `)).join('')
}
