import type { ConnectionOptions } from '../../server/domain/connections/connection.js'
import type { PresetName } from '../../server/domain/connections/presets.js'
import { sealConnectionSecret } from '../../server/domain/keys/master-key.js'
import type { Prisma } from '../../server/store/generated/client.js'
import type { TestApi, TestDatabase } from './app.js'
import { it as codesTest, elsewhere } from './codes.js'
import { newVerifier } from './login-mail.js'
import { type LyingProvider, type Person, startLyingProvider } from './lying-provider.js'

/** A connection that a test adds. */
interface NewConnection {
  name?: string
  preset?: PresetName
  issuer?: string
  secret?: string | null
  isEnabled?: boolean
  options?: ConnectionOptions
}

export const clientId = 'usher-client'

/** Adds a connection to a database, which every server uses after five seconds. */
export async function addConnection(
  { store, clock }: TestApi,
  { id: databaseId }: Pick<TestDatabase, 'id'>,
  {
    name = 'acme',
    preset = 'oidc',
    issuer = '',
    secret = 'client secret',
    isEnabled = true,
    options = {},
  }: NewConnection,
) {
  const data: Prisma.ConnectionUncheckedCreateInput = {
    ...{ databaseId, name, preset, issuer, clientId, isEnabled, options },
    sealedSecret:
      secret === null
        ? null
        : Buffer.from(sealConnectionSecret(store.masterKey, secret, { databaseId, name })),
    createdAt: new Date(clock.now),
  }
  await store.prisma.connection.deleteMany({ where: { databaseId, name } })
  await store.prisma.connection.createMany({ data })
  clock.cacheAhead += 6_000
}

/** Returns what an app does for a login at a provider. */
export const externalLogin = (usher: TestApi, app: TestDatabase) => {
  const post = (path: string, payload: object, remoteAddress = elsewhere()) =>
    usher.send({ method: 'POST', url: `${app.users}/login/${path}`, payload, remoteAddress })
  return {
    add: (connection: NewConnection) => addConnection(usher, app, connection),
    list: () => usher.send({ method: 'GET', url: app.users.replace(/users$/, 'connections') }),
    post,
    start: (body: object = {}) =>
      post('start', { connection: 'acme', challenge: newVerifier().challenge, ...body }),
    /** Starts a login. Returns what the app keeps. */
    async started(connection = 'acme') {
      const { verifier, challenge } = newVerifier()
      const response = await post('start', { connection, challenge })
      if (response.statusCode !== 200) throw new Error(response.body)
      return {
        verifier,
        ...(response.json() as { login: string; url: string; state: string; nonce: string }),
      }
    },
    /** Sends the request to the callback that a browser sends. Returns the response, and what follows `#` in its URL. */
    async callback(url: URL, remoteAddress = elsewhere()) {
      const response = await usher.inject({ method: 'GET', url: url.pathname + url.search, remoteAddress })
      return withResult(response)
    },
    async postCallback(url: URL, remoteAddress = elsewhere()) {
      const payload = url.search.slice(1)
      const headers = {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'https://appleid.apple.com',
      }
      return withResult(
        await usher.inject({ method: 'POST', url: url.pathname, payload, headers, remoteAddress }),
      )
    },
    attempts: () => usher.store.prisma.loginAttempt.findMany({ where: { databaseId: app.id } }),
    /** Logs a person in. Returns what the database has stored of it, or the error of the app. */
    async claims(provider: LyingProvider, person?: Person, connection = 'acme') {
      const { url, login } = await this.started(connection)
      const { result } = await this.callback(provider.authorize(url, person))
      if (result.error) return { error: result.error }
      const key = { databaseId_id: { databaseId: app.id, id: login } }
      return (await usher.store.prisma.loginAttempt.findUniqueOrThrow({ where: key })).claims
    },
  }
}

function withResult(response: Awaited<ReturnType<TestApi['inject']>>) {
  const { location = '' } = response.headers
  const [target = '', fragment] = String(location).split('#')
  return {
    response,
    target,
    result: Object.fromEntries(new URLSearchParams(fragment)) as Record<string, string>,
  }
}

/** `it` with a provider that lies. */
export const withProvider = codesTest
  .extend('provider', { scope: 'file' }, async ({ storeKind: _ }, { onCleanup }) => {
    const provider = await startLyingProvider()
    onCleanup(provider.close)
    return provider
  })
  .extend('settings', { scope: 'file' }, ({ provider, smtp }) => ({
    SMTP_URL: smtp.url,
    MAIL_FROM: 'Acme <accounts@acme.example>',
    PRIVATE_ISSUERS: provider.origin,
  }))

/** `it` with a database whose users log in at the provider. */
export const it = withProvider.extend('external', async ({ usher, app, provider }, { onCleanup }) => {
  // Each test has an issuer of its own, because servers keep what they know of one.
  const external = externalLogin(usher, app)
  await external.add({ issuer: provider.issuer })
  onCleanup(() => {
    provider.lies = {}
    provider.requests.splice(0)
    provider.exchanges.splice(0)
    usher.clock.cacheAhead += 3_700_000
  })
  return external
})
