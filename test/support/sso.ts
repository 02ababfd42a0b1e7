import { Scope } from '@usher/contract/management'
import { appUrl, elsewhere } from './codes.js'
import { withProvider } from './external.js'
import { createApiKey, setDatabase } from './operator-changes.js'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** `it` with a provider, and a database with single sign-on whose tenant has an owner. */
export const it = withProvider.extend('sso', async ({ usher, app, provider, clock }, { onCleanup }) => {
  await setDatabase(usher.store, app, { singleSignOn: true, tenantOperations: true, eventsKept: 1 })
  clock.cacheAhead += 6_000
  onCleanup(() => {
    provider.lies = {}
    usher.dns.clear()
    clock.cacheAhead += 3_700_000
  })
  const { users } = app
  const send = async (
    method: Method,
    url: string,
    {
      token,
      payload,
      confirmation,
    }: { token?: string | undefined; payload?: object | undefined; confirmation?: string | undefined },
  ) => {
    const response = await usher.send({
      method,
      url,
      remoteAddress: elsewhere(),
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(confirmation && { 'usher-confirmation': confirmation }),
      },
      ...(payload && { payload }),
    })
    const body = response.body ? response.json() : undefined
    return { status: response.statusCode, body, code: body?.code as string | undefined }
  }
  /** Signs up a user. Returns what the user does with the single sign-on of a tenant, with a confirmation unless said. */
  async function member(given: object = {}) {
    const user = await app.verifiedUser(given)
    const stepUp = await app.as(user.token.jwt, 'POST', 'me/step-up', { password: 'correct horse battery' })
    const confirmation = stepUp.json().confirmation.value as string
    const as = (
      method: Method,
      path: string,
      payload?: object,
      confirmed: string | undefined = confirmation,
    ) =>
      send(method, users.replace(/users$/, `tenants/${path}`), {
        token: user.token.jwt,
        payload,
        confirmation: confirmed || undefined,
      })
    return { ...user, as, tenantId: user.tenants[0] ?? '' }
  }
  /** Signs up a user with a tenant. */
  const founder = () => member({ newTenant: 'Engines' })
  const { key } = await createApiKey({ store: usher.store, now: new Date(clock.now) }, app, {
    name: 'backend',
    scopes: Scope.options,
    expiresInSeconds: 90 * 86_400,
  })
  const byKey = (method: Method, path: string, payload?: object, token: string | undefined = key) =>
    send(method, users.replace(/users$/, `management/tenants/${path}`), { token, payload })
  const owner = await founder()
  const connection = { issuer: provider.issuer, clientId: 'usher-client', secret: 'client secret' }
  return {
    owner,
    ...{ member, founder, byKey, connection, appUrl },
    post: (path: string, payload: object) => send('POST', users.replace(/users$/, path), { payload }),
    by: (token: string) => (method: Method, path: string, payload?: object) =>
      send(method, users.replace(/users$/, `tenants/${path}`), { token, payload }),
    /** Adds a domain of a tenant, and its record. */
    async domain(domain: string, of = owner) {
      const added = await of.as('POST', `${of.tenantId}/sso/domains`, { domain })
      const { name, value } = added.body.record
      usher.dns.set(name, [value])
      return `${of.tenantId}/sso/domains/${domain}`
    },
    /** Returns the kept events, the first one first. */
    async events() {
      const rows = await usher.store.prisma.keptEvent.findMany({ where: { databaseId: app.id } })
      return rows.map(({ payload }) => payload as { type: string; tenantId: string; domain?: string })
    },
    /** Gives an owner a second factor that each login needs. */
    async withFactor(userId: string) {
      await setDatabase(usher.store, app, { secondFactor: 'optional' })
      clock.cacheAhead += 6_000
      await usher.store.prisma.user.updateMany({
        where: { databaseId: app.id, id: userId },
        data: { needsSecondStep: true },
      })
    },
  }
})
