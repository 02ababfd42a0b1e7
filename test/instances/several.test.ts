import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { Scope } from '@usher/contract/management'
import { decodeProtectedHeader } from 'jose'
import { describe, expect } from 'vitest'
import { issueCode } from '../../server/domain/codes/code.js'
import { createSecretLookup } from '../../server/domain/keys/database-secrets.js'
import { password } from '../support/app.js'
import { createApiKey, revokeApiKey, rotateKeys } from '../support/operator-changes.js'
import { it as deploymentTest } from './deployment.js'

const path = { workspaceSlug: 'acme', databaseName: 'app' }
const headers = { 'content-type': 'application/json' }
const post = (url: string, body: object) =>
  fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })

/** Sends a request from a local address and sends an X-Forwarded-For header with another one. */
async function postFrom(localAddress: string, url: string, body: object) {
  const claimed = { ...headers, 'x-forwarded-for': `192.0.2.${Math.floor(Math.random() * 256)}` }
  const sent = request(url, { method: 'POST', headers: claimed, localAddress })
  sent.end(JSON.stringify(body))
  return new Promise<number | undefined>((resolve, reject) => {
    sent.on('error', reject).on('response', (response) => {
      json(response).then(() => resolve(response.statusCode), reject)
    })
  })
}

const it = deploymentTest
  .extend('base', ({ deployment }) => deployment.base)
  .extend('signUp', ({ base }) => async (email: string) => {
    return (await post(`${base}/users`, { email, password })).status
  })

describe('three servers behind a proxy', () => {
  it('three servers reject no valid token during a key rotation', async ({ deployment, base, signUp }) => {
    const email = 'rotation@example.com'
    expect(await signUp(email)).toBe(201)
    const refused: unknown[] = []
    /** Number of consecutive tokens signed by the next key. */
    let signedByNext = 0
    let next = ''
    let stop = false

    /** Logs in at one server and uses the token at the others, which must publish its key. */
    async function client() {
      while (!stop) {
        const loggedIn = await post(`${base}/users/login`, { email, password })
        const { token } = await loggedIn.json()
        const { kid = '' } = decodeProtectedHeader(token.jwt)
        const headers = { authorization: `Bearer ${token.jwt}` }
        for (let server = 0; server < 3; server++) {
          const { status } = await fetch(`${base}/users/me`, { headers })
          const { keys } = await (await fetch(`${base}/.well-known/jwks.json`)).json()
          if (status !== 200) refused.push([status, kid])
          if (!keys.some((key: { kid: string }) => key.kid === kid)) refused.push(['not published', kid])
        }
        signedByNext = kid === next ? signedByNext + 1 : 0
        await pause(10)
      }
    }
    const clients = [client(), client(), client(), client()]
    next = (await rotateKeys({ store: deployment.store, now: new Date() }, path, 6)).kid
    await expect.poll(() => signedByNext, { timeout: 30_000, interval: 100 }).toBeGreaterThan(40)
    stop = true
    await Promise.all(clients)
    expect(refused).toEqual([])
  })

  it('three servers count failed logins together, per client address reported by the proxy', async ({
    base,
    signUp,
  }) => {
    const email = 'throttle@example.com'
    await signUp(email)

    const logIn = (localAddress: string, password: string) =>
      postFrom(localAddress, `${base}/users/login`, { email, password })
    const statuses: unknown[] = []
    for (let attempt = 0; attempt < 7; attempt++) statuses.push(await logIn('127.0.0.1', 'wrong password'))
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
    expect(await logIn('127.0.0.2', password)).toBe(200)
  })

  it('three servers accept one of thirty concurrent sign-ups with the same email', async ({
    deployment,
    base,
  }) => {
    const body = { email: 'race@example.com', password, newTenant: 'Race' }
    const statuses = await Promise.all(
      Array.from({ length: 30 }, () => post(`${base}/users`, body).then(({ status }) => status)),
    )
    expect(statuses.sort()).toEqual([201, ...Array(29).fill(409)])
    expect(await deployment.store.prisma.tenant.count({ where: { name: 'Race' } })).toBe(1)
  })

  it('three servers send one mail to an address of concurrent requests, and one to each of others', async ({
    deployment,
    base,
    signUp,
  }) => {
    const emails = Array.from({ length: 10 }, (_, index) => `reset-${index}@example.com`)
    for (const email of emails) expect(await signUp(email)).toBe(201)
    const [first, ...others] = emails
    const requestReset = (email: string | undefined, host: number) =>
      postFrom(`127.0.1.${host}`, `${base}/users/password-reset`, { email })
    const statuses = await Promise.all([
      ...others.map((_, host) => requestReset(first, host + 2)),
      ...others.map((email) => requestReset(email, 1)),
    ])
    expect(new Set(statuses)).toEqual(new Set([202]))
    // They stay, because the database has no app URL.
    const { message, user } = deployment.store.prisma
    const mails = await message.findMany({ where: { kind: 'mail' }, select: { userId: true } })
    const { id } = await user.findFirstOrThrow({ where: { email: String(first) } })
    expect(mails).toHaveLength(emails.length)
    expect(mails.filter(({ userId }) => userId === id)).toHaveLength(1)
  })

  it('three servers accept one of thirty concurrent uses of a code', async ({ deployment, base, signUp }) => {
    const email = 'code@example.com'
    await signUp(email)
    const { store } = deployment
    const { databaseId, id: userId } = await store.prisma.user.findFirstOrThrow({ where: { email } })
    const createdAt = new Date()
    const expiresAt = new Date(createdAt.getTime() + 60_000)
    const code = { databaseId, id: randomUUID(), purpose: 'password_reset', userId, canonicalEmail: email }
    await store.prisma.code.create({ data: { ...code, createdAt, expiresAt } })
    const findSecrets = createSecretLookup(store)
    const value = await issueCode(
      { findSecrets },
      { databaseId, purpose: 'password_reset', id: code.id, canonicalEmail: email },
    )
    const body = { code: value, newPassword: 'another battery staple' }
    const statuses = await Promise.all(
      Array.from({ length: 30 }, () =>
        post(`${base}/users/password-reset/confirm`, body).then(({ status }) => status),
      ),
    )
    expect(statuses.sort()).toEqual([200, ...Array(29).fill(400)])
  })

  it('three servers refuse an API key from the first request after its revocation on', async ({
    deployment: { store },
    base,
    signUp,
  }) => {
    await signUp('revoked@example.com')
    const { id: userId } = await store.prisma.user.findFirstOrThrow({
      where: { email: 'revoked@example.com' },
    })
    const described = { name: 'backend', scopes: Scope.options, expiresInSeconds: 3600 }
    const { id, key } = await createApiKey({ store, now: new Date() }, path, described)
    /** Sends each request twice to each server. */
    async function statuses() {
      const found: number[] = []
      for (let turn = 0; turn < 6; turn++)
        for (const url of [`${base}/management/users/${userId}`, `${base}/management/tenants`])
          found.push((await fetch(url, { headers: { authorization: `Bearer ${key}` } })).status)
      return found
    }
    expect(await statuses()).toEqual(Array(12).fill(200))
    await revokeApiKey(store, path, id)
    expect(await statuses()).toEqual(Array(12).fill(401))
  })

  it('the proxy distributes the requests evenly over three servers', ({ deployment }) => {
    const shares = [...deployment.proxy.responseCounts.values()]
    expect(Math.min(...shares)).toBeGreaterThan(0.9 * Math.max(...shares))
  })
})
