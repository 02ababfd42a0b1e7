import type { DatabaseSettings } from '@usher/contract/settings'
import { decodeJwt } from 'jose'
import { expect, vi } from 'vitest'
import { password } from '../support/app.js'
import { setDatabase } from '../support/operator-changes.js'
import { totpAt } from '../support/second-factor.js'
import { it as ssoTest } from '../support/sso-login.js'

const credentials = { email: 'ada@example.com', password }

/** `it` with a database whose tokens have claims of users and tenants. */
const it = ssoTest.extend('claims', async ({ app, usher }) => {
  const { user, tenant } = usher.store.prisma
  const set = async (settings: Partial<DatabaseSettings>) => {
    await setDatabase(usher.store, app, settings)
    usher.clock.cacheAhead += 6_000
  }
  return {
    set,
    ofUsers: (data: object) => user.updateMany({ where: { databaseId: app.id }, data }),
    ofTenants: (data: object) => tenant.updateMany({ where: { databaseId: app.id }, data }),
    /** Logs in, and returns the claims with these names. */
    async login(...names: string[]) {
      const claims = decodeJwt((await app.login(credentials)).json().token.jwt)
      return Object.fromEntries(names.map((name) => [name, claims[name]]))
    },
    leftOut: () =>
      usher
        .logged()
        .split('\n')
        .filter((line) => line.includes('"audit":"token.claims_left_out"'))
        .map((line) => JSON.parse(line))
        .filter(({ databaseId }) => databaseId === app.id),
  }
})

const named = ['lang', 'plan', 'tier']
const claimSources = ['lang=user.locale', 'plan=user.metadata.plan', 'tier=tenant.privateMetadata.tier']
const shown = (response: { json(): { token?: { jwt: string } } }) => {
  const { token } = response.json()
  const claims = token ? decodeJwt(token.jwt) : expect.fail(JSON.stringify(response.json()))
  return named.map((name) => claims[name])
}

it('a change is in the next token, however it is made', async ({ app, usher, claims, mail, provider }) => {
  await claims.set({ claimSources, singleSignOn: false })
  const payload = { ...credentials, locale: 'de', newTenant: 'Engines' }
  const headers = { 'idempotency-key': 'one' }
  const signUp = () => usher.send({ method: 'POST', url: app.users, payload, headers })
  const signedUp = await signUp()
  expect(shown(signedUp)).toEqual(['de', undefined, undefined])
  await app.markVerified(credentials.email)
  await claims.ofUsers({ metadata: { plan: 'pro' } })
  await claims.ofTenants({ privateMetadata: { tier: 2 } })
  const { jwt } = signedUp.json().token
  const login = await mail.start(credentials.email)
  const responses = {
    again: await signUp(),
    session: await app.openSession(jwt),
    login: await app.login(credentials),
    mail: await mail.finish(login),
    provider: await provider.finish(await provider.returned({ email: credentials.email })),
    stepUp: await app.as(jwt, 'POST', 'me/step-up', { password }),
    password: await app.as(jwt, 'PUT', 'me/password', { password, newPassword: password }),
  }
  for (const [name, response] of Object.entries(responses))
    expect([name, ...shown(response)]).toEqual([name, 'de', 'pro', 2])
  const fresh = responses.password.json().token.jwt
  const { challenge, secret } = (await app.as(fresh, 'POST', 'me/factors/totp', { password })).json()
  const next = await app.openSession((await app.login(credentials)).json().token.jwt)
  await claims.ofUsers({ locale: null, metadata: { plan: 'free' } })
  expect(shown(await app.refresh(next.json().refreshToken.value))).toEqual([undefined, 'free', 2])
  await app.as(fresh, 'POST', 'me/factors/totp/confirm', { challenge, totp: totpAt(secret, usher.clock.now) })
  usher.clock.now += 30_000
  const second = (await app.login(credentials)).json().secondFactor
  const totp = { challenge: second.challenge, totp: totpAt(secret, usher.clock.now) }
  const url = `${app.users}/login/second-factor`
  expect(shown(await usher.send({ method: 'POST', url, payload: totp }))).toEqual([undefined, 'free', 2])
})

it('claims of a tenant are only in tokens of one, and those of the user in no session of a tenant', async ({
  app,
  claims,
  sso,
}) => {
  await claims.set({ claimSources })
  const acme = await sso.tenant('acme.example', { privateMetadata: { tier: 'acme' } })
  const other = await sso.tenant('other.example', { privateMetadata: { tier: 'other' } })
  const { id } = await sso.verified(credentials.email)
  await claims.ofUsers({ locale: 'de', metadata: { plan: 'pro' } })
  expect(await claims.login(...named)).toEqual({ lang: 'de', plan: 'pro', tier: undefined })
  await acme.add(id)
  expect(await claims.login(...named)).toEqual({ lang: 'de', plan: 'pro', tier: 'acme' })
  await other.add(id)
  expect(await claims.login(...named)).toEqual({ lang: 'de', plan: 'pro', tier: undefined })
  // Own logins open only the other one.
  await acme.set({ ssoRequiredAt: new Date(0) })
  expect(await claims.login(...named)).toEqual({ lang: 'de', plan: 'pro', tier: 'other' })
  const ofTenant = await acme.logIn({ email: 'eve@acme.example', subject: 'eve' })
  await claims.ofUsers({ locale: 'de', metadata: { plan: 'pro' } })
  const session = await app.openSession(ofTenant.json().token.jwt)
  const refreshed = await app.refresh(session.json().refreshToken.value)
  expect([ofTenant, session, refreshed].map(shown)).toEqual(Array(3).fill([undefined, undefined, 'acme']))
})

it('texts, numbers, booleans and lists of at most 20 texts count, and no other value', async ({
  app,
  claims,
}) => {
  await app.signedUp(credentials)
  const texts = (count: number) => Array.from({ length: count }, (_, index) => `${index}`)
  const metadata = {
    ...{
      text: 'ü"',
      empty: '',
      whole: 9_007_199_254_740_991,
      half: -0.5,
      no: false,
      list: texts(20),
      none: [],
    },
    ...{ object: { sub: 'other' }, long: texts(21), mixed: ['a', 1], null: null },
  }
  const names = Object.keys(metadata)
  await claims.ofUsers({ metadata })
  await claims.set({ claimSources: names.slice(0, 7).map((name) => `${name}=user.metadata.${name}`) })
  expect(await claims.login(...names)).toEqual({
    ...metadata,
    ...{ object: undefined, long: undefined, mixed: undefined, null: undefined },
  })
  await claims.set({ claimSources: names.slice(7).map((name) => `${name}=user.metadata.${name}`) })
  expect(Object.values(await claims.login(...names))).toEqual(Array(11).fill(undefined))
  expect(claims.leftOut()).toEqual([])
})

it('a key is an own key of the object, whatever its name', async ({ app, claims, usher }) => {
  await app.signedUp(credentials)
  const keys = ['__proto__', 'constructor', 'toString', 'a.b', 'length']
  await claims.set({ claimSources: keys.map((key, index) => `c${index}=user.metadata.${key}`) })
  const names = keys.map((_, index) => `c${index}`)
  const values = async () => Object.values(await claims.login(...names))
  const nothing = keys.map(() => undefined)
  expect(await values()).toEqual(nothing)
  await claims.ofUsers({ metadata: { a: { b: 'nested' } } })
  expect(await values()).toEqual(nothing)
  // Prisma would drop the first one.
  const metadata = `{${keys.map((key, index) => `${JSON.stringify(key)}:${index}`)}}`
  await usher.store.query('UPDATE usher."user" SET metadata = $2::json WHERE database_id = $1::uuid', [
    app.id,
    metadata,
  ])
  expect(await values()).toEqual([0, 1, 2, 3, 4])
  expect(({} as Record<string, unknown>).sub).toBeUndefined()
})

it('claims beyond 1,024 bytes with the fixed ones are left out in order, and audited without values', async ({
  app,
  claims,
}) => {
  const { id } = await app.signedUp(credentials)
  const many = Array.from({ length: 10 }, (_, index) => `claim${index}`)
  await claims.ofUsers({
    metadata: {
      claim0: 'é'.repeat(250),
      ...Object.fromEntries(many.slice(1).map((name) => [name, 'x'.repeat(500)])),
    },
  })
  await claims.set({ claims: {}, claimSources: many.map((name) => `${name}=user.metadata.${name}`) })
  const found = await claims.login(...many)
  expect(Object.values(found).map(Boolean)).toEqual(many.map((_, index) => index < 1))
  const [audited] = claims.leftOut()
  expect(audited).toMatchObject({ userId: id, claims: many.slice(1) })
  expect(JSON.stringify(audited)).not.toContain('xxx')
  // {"fixed":"é","a":"…","b":1} has exactly 1,024 bytes, and then one more.
  const fixed = { fixed: 'é' }
  const room = 1_024 - Buffer.byteLength(JSON.stringify({ ...fixed, a: '', b: 1 }))
  await claims.set({ claims: fixed, claimSources: ['a=user.metadata.a', 'b=user.metadata.b'] })
  for (const [length, b] of [
    [room, 1],
    [room + 1, undefined],
  ] as const) {
    const a = 'a'.repeat(length)
    await claims.ofUsers({ metadata: { a, b: 1 } })
    expect(await claims.login('fixed', 'a', 'b')).toEqual({ ...fixed, a, b })
  }
  // A claim that does not fit does not keep out a later one that does.
  await claims.ofUsers({ metadata: { a: 'a'.repeat(1_024), b: 1 } })
  expect(await claims.login('fixed', 'a', 'b')).toEqual({ ...fixed, a: undefined, b: 1 })
  expect(claims.leftOut().at(-1)).toMatchObject({ claims: ['a'] })
})

it('without sources the statements are the same, and with one there is one more for each token', async ({
  app,
  claims,
  usher,
}) => {
  const { store } = usher.context
  const { query } = store
  await app.signedUp(credentials)
  const texts: string[] = []
  const watched = vi.spyOn(store, 'query').mockImplementation((text, ...rest) => {
    texts.push(text)
    return query(text, ...rest)
  })
  async function signUpAndRefresh() {
    await app.signedUp()
    const session = await app.openSession((await app.login(credentials)).json().token.jwt)
    await app.refresh(session.json().refreshToken.value)
  }
  const statements = async () => {
    // The first one fills caches.
    await signUpAndRefresh()
    texts.splice(0)
    await signUpAndRefresh()
    return texts.splice(0)
  }
  await claims.set({ claimSources: [], singleSignOn: false })
  const without = await statements()
  await claims.set({ claimSources: ['tier=tenant.metadata.tier'] })
  // No token has a tenant.
  expect(await statements()).toEqual(without)
  await claims.set({ claimSources: ['plan=user.metadata.plan'] })
  const withOne = await statements()
  watched.mockRestore()
  expect(without.join()).not.toContain('private_metadata')
  const added = withOne.filter((text) => !without.includes(text))
  expect([added.length, new Set(added).size]).toEqual([4, 1])
  expect(withOne.filter((text) => without.includes(text))).toEqual(without)
})

it('a fixed claim is not replaced, and one with a name that is now reserved stays until it is changed', async ({
  app,
  claims,
  usher,
}) => {
  await app.signedUp(credentials)
  await claims.ofUsers({ metadata: { plan: 'pro' } })
  // As an earlier version and a change at the same time have stored them.
  const fixed = { act: { sub: 'x' }, plan: 'fixed' }
  const data = {
    claims: fixed,
    claimSources: ['plan=user.metadata.plan', 'later=user.metadata', 'other=session.id'],
  }
  await usher.store.prisma.database.updateMany({ where: { id: app.id }, data })
  await claims.set({ sessionIdle: 3_600 })
  expect(await claims.login('act', 'plan', 'later', 'other')).toMatchObject(fixed)
  await expect(claims.set({ claimSources: data.claimSources.slice(0, 1) })).rejects.toThrow(
    'settings.claimSources must not contain the claim plan, which claims has',
  )
  await claims.set({ claims: { role: 'authenticated' } })
  expect(await claims.login('act', 'plan', 'role')).toEqual({
    act: undefined,
    plan: 'pro',
    role: 'authenticated',
  })
  await expect(claims.set({ claims: { plan: 'fixed' } })).rejects.toThrow(
    'settings.claims must not contain the claim plan, which claimSources has',
  )
})
