import type { InjectOptions } from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { cheapHashes } from '../../server/testing/cheap-hashes.js'
import { password, startApp, type TestApi, validUser } from '../support/app.js'
import { addConnection, externalLogin } from '../support/external.js'
import { startInstance } from '../support/instances.js'
import { startLyingProvider } from '../support/lying-provider.js'
import { setDatabase } from '../support/operator-changes.js'
import { totpAt } from '../support/second-factor.js'
import { openPostgresCopy } from '../support/store.js'
import { startRelay } from './relay.js'

const personOf = (name: string) => ({ sub: name, email: `${name}@example.com`, email_verified: true })

/** Sends requests to a server process, with the interface of an app in this process. */
function clientOf(origin: string) {
  return async ({ method = 'GET', url, payload }: InjectOptions) => {
    const response = await fetch(`${origin}${url}`, {
      method,
      redirect: 'manual',
      ...(payload && {
        body: JSON.stringify(payload),
        headers: { 'content-type': 'application/json' },
      }),
    })
    const body = await response.text()
    const headers = Object.fromEntries(response.headers)
    return { statusCode: response.status, headers, body, json: () => JSON.parse(body) }
  }
}

/** Starts a server in this process, and one of its own whose COMMITs of some persons are cut. */
async function startServers() {
  const store = await openPostgresCopy()
  const provider = await startLyingProvider()
  const env = { PRIVATE_ISSUERS: provider.origin }
  const other = await startApp(store, env)
  onTestFinished(async () => {
    await Promise.all([provider.close(), other.close()])
    await store.close()
  })
  other.clock.now = Date.now()
  const database = await other.newDatabase()
  await setDatabase(store, database, { appUrl: 'https://app.example.com' })
  await addConnection(other, database, { issuer: provider.issuer, options: { trustEmail: true } })
  const relay = await startRelay(String(store.settings?.DATABASE_URL), (sent) => {
    if (sent.includes('before@example.com')) return 'before'
    return sent.includes('after@example.com') ? 'after' : undefined
  })
  const settings = { ...store.settings, ...cheapHashes, ...env, BASE_URL: other.config.baseUrl }
  const killed = await startInstance({ ...settings, DATABASE_URL: relay.url })
  const client = clientOf(killed.origin)
  const atKilled = { ...other, send: client, inject: client } as unknown as TestApi
  return { store, provider, other, database, relay, killed, client, login: externalLogin(atKilled, database) }
}

it('a server that is killed during logins leaves nothing half done, and another one finishes them', async () => {
  const { store, provider, other, database, relay, killed, client, login } = await startServers()
  const onOther = externalLogin(other, database)
  const started = async (name: string) => {
    const { url, verifier } = await login.started()
    return { verifier, callback: provider.authorize(url, personOf(name)) }
  }
  const returned = async (name: string) => {
    const { verifier, callback } = await started(name)
    return { verifier, code: (await login.callback(callback)).result.code ?? '' }
  }

  // Between the two steps of a password login.
  const given = validUser()
  const { token } = await database.verifiedUser(given)
  const { challenge: enrolment, secret } = (
    await database.as(token.jwt, 'POST', 'me/factors/totp', { password })
  ).json()
  const enrolled = { challenge: enrolment, totp: totpAt(secret, other.clock.now - 30_000) }
  expect((await database.as(token.jwt, 'POST', 'me/factors/totp/confirm', enrolled)).statusCode).toBe(201)
  const first = await client({ method: 'POST', url: `${database.users}/login`, payload: given })
  expect(first.statusCode).toBe(401)
  // Between the callback and the end of a login, and in the transaction that ends it.
  const [back, before, after] = [await returned('back'), await returned('before'), await returned('after')]
  const lost: Promise<unknown>[] = [before, after].map((result) =>
    login.post('finish', result).catch(() => 'no response'),
  )
  // While the provider is asked.
  const asked = await started('asked')
  provider.lies.answer = (path) => path === '/token'
  lost.push(login.callback(asked.callback).catch(() => 'no response'))
  await expect
    .poll(() => [relay.cuts(), provider.requests.at(-1)], { timeout: 20_000 })
    .toEqual([2, '/token'])
  killed.signal('SIGKILL')
  expect(await Promise.all(lost)).toEqual(['no response', 'no response', 'no response'])
  await killed.ended
  provider.lies = {}

  const identities = () => store.prisma.identity.findMany({ where: { databaseId: database.id } })
  await expect.poll(async () => (await identities()).map(({ subject }) => subject)).toEqual(['after'])
  const { challenge } = first.json().secondFactor
  const second = { challenge, totp: totpAt(secret, other.clock.now) }
  const verify = () => onOther.post('second-factor', second)
  expect([(await verify()).statusCode, (await verify()).statusCode]).toEqual([200, 401])
  for (const result of [back, before, after]) {
    const finished = [await onOther.post('finish', result), await onOther.post('finish', result)]
    const [one, repeated] = finished.map((response) => response.json())
    expect([one.isNewUser, repeated.id]).toEqual([true, one.id])
    const opened = [await database.openSession(one.token.jwt), await database.openSession(repeated.token.jwt)]
    expect(opened.map(({ statusCode }) => statusCode)).toEqual([201, 409])
  }
  // The provider may have used its code up, so the person starts again.
  expect((await onOther.callback(asked.callback)).result.error).toBe('code_invalid')
  expect((await identities()).map(({ subject }) => subject).sort()).toEqual(['after', 'back', 'before'])
  expect(await store.prisma.user.count({ where: { databaseId: database.id } })).toBe(4)
})
