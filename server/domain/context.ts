import type { DatabasePath } from '@usher/contract'
import { batchReads, batchReadsOfAll } from '../store/batched-reads.js'
import { keptEvents, revocations } from '../store/queries/numbered-lists.js'
import type { NewMessage } from '../store/queries/outbox.js'
import { findUsersOfTokens, type UserKey, type UserOfToken } from '../store/queries/users-of-tokens.js'
import type { Store } from '../store/store.js'
import { createApiKeyLookup } from './api-keys/find-api-key.js'
import { type Clock, systemClock } from './clock.js'
import { createConnectionLookup } from './connections/find-connections.js'
import { createTenantConnectionLookup } from './connections/tenant-connection.js'
import {
  createDatabaseLookup,
  createOperatorsLookup,
  databaseOpener,
  databaseUrl,
  type TokenSettings,
} from './databases/find-database.js'
import { createHookSender } from './hooks/ask-hook.js'
import { createBreaker } from './hooks/breaker.js'
import type { Hooks } from './hooks/sign-up-hook.js'
import { createSecretLookup } from './keys/database-secrets.js'
import type { ServerMails } from './mail/send-mail.js'
import { createFollowedList, type FollowedList } from './numbered-lists/followed-list.js'
import type { PasswordBlocklist } from './passwords/blocklist.js'
import { createHasher, type Hasher, type HashSettings } from './passwords/hasher.js'
import { createProviders, type ProviderSettings, type Providers } from './providers/find-provider.js'
import type { WebhookSettings } from './signed-request.js'
import { createResolveTxt, type ResolveTxt } from './text-records.js'
import { Throttle } from './throttle/login-throttle.js'
import { createNetworkAllowance, type NetworkAllowance } from './throttle/network-allowance.js'
import { createRequestAllowance, type RequestAllowance } from './throttle/request-allowance.js'
import { createRejectedTokens, type RejectedTokens, VerifiedTokens } from './tokens/verified-tokens.js'
import { type ManagedUserRead, readManagedUsers, type WantedUser } from './users/read-managed-users.js'

/** Maximum number of requests of a process that wait for events. */
const eventWaits = 1000
/** Maximum number of requests of a process that wait for revocations. Each backend always has one. */
const revocationWaits = 4000

/** Dependencies of the rules, one object per process. */
export interface AppContext extends Pick<Clock, 'now'> {
  store: Store
  hashing: Hasher
  /** Passwords that sign-up rejects in addition to common ones. */
  blocklist: PasswordBlocklist | undefined
  throttle: Throttle
  networkAllowance: NetworkAllowance
  requestAllowance: RequestAllowance
  findDatabase: ReturnType<typeof createDatabaseLookup>
  findOperators: ReturnType<typeof createOperatorsLookup>
  openDatabase: ReturnType<typeof databaseOpener>
  findUser: ReturnType<typeof batchReadsOfAll<UserKey, UserOfToken>>
  findManagedUser: ReturnType<typeof batchReads<WantedUser, ManagedUserRead>>
  findApiKey: ReturnType<typeof createApiKeyLookup>
  findSecrets: ReturnType<typeof createSecretLookup>
  findConnections: ReturnType<typeof createConnectionLookup>
  findTenantConnection: ReturnType<typeof createTenantConnectionLookup>
  providers: Providers
  /** Asks the product before a sign-up. */
  hooks: Hooks
  /** Asks DNS for TXT records. */
  resolveTxt: ResolveTxt
  keptEvents: FollowedList
  revocations: FollowedList
  verifiedTokens: VerifiedTokens
  rejectedTokens: RejectedTokens
  /** Returns what the server sends mails with. */
  loadServerMails: () => Promise<ServerMails>
  /** Returns the URL of a database. */
  urlOf: (path: DatabasePath) => string
  /** Starts the delivery of stored messages, only those of `kind` if it is given. Set by the server that delivers them. */
  deliver: (messages: readonly (Pick<NewMessage, 'databaseId'> & { kind?: string })[]) => void
  /** The server is shutting down: /readyz fails, requests are still served. */
  isEnding: boolean
}

export interface ContextSettings extends TokenSettings, ProviderSettings, WebhookSettings {
  mail: { from: ServerMails['from']; templates?: string | undefined }
  hashing: HashSettings
  /** Number of processes of this server. */
  workers: number
}

/** Creates the context of a process. Call `hashing.close()` to end its threads. */
export function createContext(
  settings: ContextSettings,
  store: Store,
  {
    clock = systemClock,
    blocklist,
    hashing = createHasher(settings.hashing),
    dns = createResolveTxt(),
  }: {
    clock?: Clock | undefined
    blocklist?: PasswordBlocklist | undefined
    hashing?: Hasher | undefined
    dns?: ResolveTxt | undefined
  } = {},
): AppContext {
  const { now } = clock
  const isEnding = () => context.isEnding
  const findDatabase = createDatabaseLookup(store, settings, clock)
  const context: AppContext = {
    store,
    hashing,
    blocklist,
    throttle: new Throttle(store, { now, workers: settings.workers, queue: hashing }),
    networkAllowance: createNetworkAllowance(store, now),
    requestAllowance: createRequestAllowance(store, now),
    findDatabase,
    findOperators: createOperatorsLookup(store, findDatabase),
    openDatabase: databaseOpener(store, settings),
    findUser: batchReadsOfAll(store, (keys) => findUsersOfTokens(store, keys)),
    findManagedUser: batchReads((databaseId, wanted) => readManagedUsers(context, databaseId, wanted)),
    findApiKey: createApiKeyLookup(store, clock.cacheNow),
    findSecrets: createSecretLookup(store, clock),
    findConnections: createConnectionLookup(store, clock),
    findTenantConnection: createTenantConnectionLookup(store, clock),
    providers: createProviders(settings, clock),
    hooks: { ask: createHookSender(settings, now), spare: createBreaker(now) },
    resolveTxt: dns,
    keptEvents: createFollowedList(store, keptEvents, { isEnding, max: eventWaits }),
    revocations: createFollowedList(store, revocations, { isEnding, max: revocationWaits }),
    verifiedTokens: new VerifiedTokens(),
    rejectedTokens: createRejectedTokens(now),
    now,
    loadServerMails: async () => {
      const { loadTemplates } = await import('./mail/templates.js')
      return { from: settings.mail.from, templates: await loadTemplates(settings.mail.templates) }
    },
    urlOf: (path) => databaseUrl(settings.baseUrl, path),
    deliver: () => undefined,
    isEnding: false,
  }
  return context
}
