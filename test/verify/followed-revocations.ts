import type { Session, SignedInUser } from '@usher/contract'
import { type RevocationList, Scope } from '@usher/contract/management'
import { expect } from 'vitest'
import { sweepDatabase } from '../../server/domain/sweep/sweep.js'
import { ada, it as addressTest } from '../api/email-change.js'
import { password, type TestApi, type TestDatabase } from '../support/app.js'
import { createApiKey } from '../support/operator-changes.js'
import type { Verdict } from './offline-verdict.js'

/** `it` with a database whose clock is that of the store, and with the list of its revocations. */
export const it = addressTest.extend('feed', ({ usher, app, address: _ }) => followed(usher, app))

async function followed(usher: TestApi, app: TestDatabase) {
  const newKey = (scopes: Scope[] = Scope.options) =>
    createApiKey({ store: usher.store, now: new Date(usher.clock.now) }, app, {
      name: 'verifier',
      scopes,
      expiresInSeconds: 3600,
    })
  const { key, id: keyId } = await newKey()
  const root = app.users.replace(/users$/, '')
  const send = (
    authorization: string,
    [method, path]: ['GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', string],
    payload?: object,
  ) =>
    usher.send({
      method,
      url: `${root}${path}`,
      headers: { authorization: `Bearer ${authorization}` },
      ...(payload && { payload }),
    })
  const manage = (operation: Parameters<typeof send>[1], payload?: object) =>
    send(key, [operation[0], `management/${operation[1]}`], payload)
  const list = async (query = '', using = key): Promise<RevocationList> => {
    const response = await send(using, ['GET', `management/revocations${query}`])
    expect(response.statusCode, response.body).toBe(200)
    return response.json()
  }
  const sweep = () =>
    sweepDatabase(usher.context, app.id, {
      log: usher.app.log,
      stopped: new AbortController().signal,
      pause: async () => undefined,
    })
  return { key, keyId, newKey, send, manage, list, sweep }
}

export type Feed = Awaited<ReturnType<typeof followed>>

/** Ada and Grace with some tokens. Ada owns the tenant Engines, in which Grace is an admin. Grace has another one alone. */
export async function newWorld(app: TestDatabase, { manage }: Feed) {
  const signedUp = await app.signedUp({ email: ada, newTenant: 'Engines' })
  const opened = async (email: string): Promise<Session & { login: SignedInUser }> => {
    const login = (await app.login({ email, password })).json()
    return { login, ...(await app.openSession(login.token.jwt)).json() }
  }
  const graceEmail = 'grace@example.com'
  await app.signedUp({ email: graceEmail, newTenant: 'Looms' })
  const [engines = ''] = signedUp.tenants
  const { id: graceId, tenants } = (await app.login({ email: graceEmail, password })).json()
  const member = ['PUT', `tenants/${engines}/members/${graceId}`] as const
  expect((await manage([...member], { role: 'admin' })).statusCode).toBe(204)
  const [phone, laptop] = [await opened(ada), await opened(ada)]
  const grace = await opened(graceEmail)
  const tokens = [signedUp, phone.login, phone, laptop.login, laptop, grace.login, grace]
  return {
    id: signedUp.id,
    jwt: signedUp.token.jwt,
    ...{ phone, laptop, grace, engines, looms: tenants[0] },
    tokens: tokens.map(({ token }) => token.jwt),
  }
}

export type World = Awaited<ReturnType<typeof newWorld>>

/** Stores revocations that take a user's share of the list. */
export const storeRevocationsOf = (
  { store, clock }: Pick<TestApi, 'store' | 'clock'>,
  databaseId: string,
  { actorId, count }: { actorId: string; count: number },
) =>
  store.prisma.revocation.createMany({
    data: Array.from({ length: count }, () => ({
      databaseId,
      id: crypto.randomUUID(),
      payload: { type: 'session-revoked', userId: actorId, sessionId: crypto.randomUUID() },
      createdAt: new Date(clock.now),
      actorId,
    })),
  })

/** Returns what `me` makes of a token. */
export async function verdictOfMe(app: TestDatabase, jwt: string): Promise<Verdict> {
  const response = await app.me(jwt)
  const memberships: { id: string; role: string }[] = response.json().memberships ?? []
  return {
    isAccepted: response.statusCode === 200,
    roles: Object.fromEntries(memberships.map(({ id, role }) => [id, role])),
  }
}
