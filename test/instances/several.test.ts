import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { decodeProtectedHeader } from 'jose'
import { describe, expect } from 'vitest'
import { rotateKeys } from '../../server/domain/admin/key-rotation.js'
import { password } from '../support/app.js'
import { it as deploymentTest } from '../support/deployment.js'

const path = { workspaceSlug: 'acme', databaseName: 'app' }
const headers = { 'content-type': 'application/json' }
const post = (url: string, body: object) =>
  fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
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
    next = (await rotateKeys(deployment.store, path, 6, new Date())).kid
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

    /** Logs in from a local address and sends an X-Forwarded-For header with another one. */
    async function logIn(localAddress: string, password: string) {
      const claimed = { ...headers, 'x-forwarded-for': `192.0.2.${Math.floor(Math.random() * 256)}` }
      const sent = request(`${base}/users/login`, { method: 'POST', headers: claimed, localAddress })
      sent.end(JSON.stringify({ email, password }))
      return new Promise<number | undefined>((resolve, reject) => {
        sent.on('error', reject).on('response', (response) => {
          json(response).then(() => resolve(response.statusCode), reject)
        })
      })
    }
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

  it('the proxy distributes the requests evenly over three servers', ({ deployment }) => {
    const shares = [...deployment.proxy.responseCounts.values()]
    expect(Math.min(...shares)).toBeGreaterThan(0.9 * Math.max(...shares))
  })
})
