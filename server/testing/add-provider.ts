import { generateKeyPairSync } from 'node:crypto'
import { PathName } from '@usher/contract'
import { z } from 'zod'
import { type ChangeContext, runChange } from '../domain/change.js'
import { ConnectionName, ConnectionOptions, callbackUrl, titleOf } from '../domain/connections/connection.js'
import { type PresetName, presets } from '../domain/connections/presets.js'
import { databaseUrl } from '../domain/databases/find-database.js'
import { storeConnection } from '../domain/management/connections.js'
import type { Store } from '../store/store.js'
import { requestOfOperator } from './operator.js'
import { startProvider } from './provider.js'
import type { ProviderClient, Return, TestPerson } from './provider-accounts.js'

/**
 * A provider with which users log in. Connections of tenants can use it, too: `addSsoConnection` with its issuer, the client `usher` and
 * the secret `secret`. Its database, such as `createDatabase` returns it, is the first one of the server by default.
 */
export interface ProviderOptions {
  /** Name of the connection, such as `google`. */
  connection: string
  /** Kind of the provider: `google`, `apple`, `microsoft`, `github`, `gitlab` or `oidc`. By default that of the name, or `oidc`. */
  preset?: PresetName | undefined
  /** Who has an account there. Each name is different. */
  people: TestPerson[]
  /** What a button shows. By default that of the preset. */
  title?: string | undefined
  /** Whether an address that the provider has verified is enough to link an account, as with `--trust-email`. */
  trustEmail?: boolean | undefined
  /** Whether a first login links to the account with its address, as with `--link-by-email`. True by default. */
  linkByEmail?: boolean | undefined
  /** Address of the server. Has no effect. */
  baseUrl?: string | undefined
  /** Slug of the workspace of its database. */
  workspace?: string | undefined
  /** Name of its database. */
  database?: string | undefined
}

/** A provider that runs until the server stops. */
export interface TestProvider {
  /** Its issuer. */
  issuer: string
  /**
   * Follows the URL of `startLogin` as a browser does, and logs a person in.
   *
   * @param person name or address
   * @returns the URL of the app, with `#code=…` or `#error=…`
   */
  logIn(url: string, person: string): Promise<string>
  /** Follows the URL of `startLogin`, and cancels there. Returns the URL of the app, with `#error=access_denied`. */
  cancel(url: string): Promise<string>
}

const Person = z.strictObject({
  name: z.string().min(1),
  email: z.string().optional(),
  emailVerified: z.boolean().optional(),
  claims: z.record(z.string(), z.unknown()).optional(),
})

const { title, trustEmail, linkByEmail } = ConnectionOptions.shape

/** Options of all providers. */
export const commonOptions = {
  people: z
    .array(Person)
    .min(1)
    .refine(
      (people) => new Set(people.map(({ name }) => name)).size === people.length,
      'must have different names',
    ),
  title,
  baseUrl: z.string().optional(),
  workspace: PathName,
  database: PathName,
}

const ProviderOptions = z.strictObject({
  ...commonOptions,
  connection: ConnectionName,
  preset: z.enum(Object.keys(presets) as [PresetName]).optional(),
  ...{ trustEmail, linkByEmail },
})

/** The server of a provider. */
export interface ServerOfProvider {
  context: ChangeContext & { store: Store }
  baseUrl: string
}

/** A provider that can be stopped. */
export type StartedProvider = TestProvider & { close: () => Promise<void> }

/** Starts a provider, and adds its connection to a database. @throws {z.ZodError} if an option is invalid */
export async function addProvider(
  { context, baseUrl }: ServerOfProvider,
  given: ProviderOptions,
): Promise<StartedProvider> {
  const parsed = ProviderOptions.parse(given)
  const { connection: name, preset, people, baseUrl: _, workspace, database, ...options } = parsed
  const request = await requestOfOperator(context.store, {
    workspaceSlug: workspace,
    databaseName: database,
  })
  const kind = preset ?? (Object.hasOwn(presets, name) ? (name as PresetName) : 'oidc')
  const signs = presets[kind].signsSecret
  const [start = '', end = ''] = callbackUrl(databaseUrl(baseUrl, request.database), '*').split('*')
  const title = titleOf({ preset: kind, options })
  const accepts = (uri: string) => uri.startsWith(start) && uri.endsWith(end)
  return startAdded(people, { clientId: 'usher', title, accepts }, async (issuer) => {
    const connection = {
      ...{ name, preset: kind, issuer, clientId: 'usher' },
      secret: signs ? newPrivateKey() : 'secret',
      options: { ...options, ...(signs && { teamId: 'TEAM000000', keyId: 'KEY0000000' }) },
    }
    await runChange(context, request, (change) => storeConnection(change, context.store, connection))
  })
}

/** Starts a provider, and stops it if its connection cannot be added. @param add adds the connection */
export async function startAdded(
  people: readonly TestPerson[],
  client: ProviderClient,
  add: (issuer: string) => Promise<void>,
): Promise<StartedProvider> {
  const provider = await startProvider(people, client)
  try {
    await add(provider.origin)
  } catch (error) {
    await provider.close()
    throw error
  }
  return {
    issuer: provider.origin,
    logIn: async (url, person) => callBack(provider.returnFrom(url, person)),
    cancel: async (url) => callBack(provider.returnFrom(url, undefined)),
    close: provider.close,
  }
}

const newPrivateKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()

/** Sends a result to the callback of the server, and returns where it leads the browser. */
async function callBack({ redirectUri, parameters, isPosted }: Return) {
  const form = new URLSearchParams(parameters)
  const response = await fetch(isPosted ? redirectUri : `${redirectUri}?${form}`, {
    redirect: 'manual',
    ...(isPosted && { method: 'POST', body: form }),
  })
  const location = response.headers.get('location')
  if (!location) throw new Error(`${redirectUri} has responded with status ${response.status}`)
  return location
}
