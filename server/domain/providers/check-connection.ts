import { type Connection, callbackUrl } from '../connections/connection.js'
import type { NewConnection } from '../connections/described-connection.js'
import type { RuleDatabase } from '../databases/find-database.js'
import { Problem } from '../problem.js'
import { exchangeCode } from './exchange-code.js'
import type { Providers } from './find-provider.js'
import { withinTime } from './identify.js'
import { ProviderError } from './provider-error.js'

/**
 * Asks the provider of a connection whether it is one, and whether it knows the client: a made-up code must be rejected as a code.
 *
 * @param of.url URL of the database
 * @throws {Problem} `connection_invalid` with what to correct
 */
export async function checkConnection(
  providers: Providers,
  { database, url }: { database: RuleDatabase; url: string },
  connection: NewConnection,
) {
  if (database.appUrl === null && database.loginRedirects.length === 0)
    throw new Problem('connection_invalid', {
      detail: 'Logins have nowhere to return to. Set the app URL or login redirects of the database first.',
    })
  const redirectUri = callbackUrl(url, connection.name)
  const row: Connection = {
    ...connection,
    databaseId: database.id,
    sealedSecret: null,
    isEnabled: true,
    createdAt: new Date(0),
  }
  const ask = async (signal: AbortSignal) => {
    const provider = await providers.find(row)
    const grant = { code: 'usher-check', redirectUri, pkceVerifier: 'usher-check'.padEnd(43, '-'), signal }
    await exchangeCode(providers.fetch, provider, {
      ...grant,
      connection: row,
      secret: connection.secret ?? undefined,
    })
  }
  await withinTime(ask).catch((error) => {
    if (!(error instanceof ProviderError)) throw error
    if (error.code === 'code_invalid') return
    const { secret } = connection
    // A provider may repeat what it rejects.
    const detail = secret === null ? error.message : error.message.replaceAll(secret, '…')
    throw new Problem('connection_invalid', { detail: `${detail}.`, cause: error })
  })
}
