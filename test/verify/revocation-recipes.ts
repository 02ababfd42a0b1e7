import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createVerifier } from '@usher/verify'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { expect } from 'vitest'
import { password } from '../support/app.js'
import { startChild } from '../support/child.js'
import {
  createApiKey,
  deleteTenant,
  retireKey,
  revokeTokens,
  rotateKeys,
} from '../support/operator-changes.js'
import { eventually } from './fake-feed-test.js'
import { it as liveTest, optionsOf } from './live.js'

export interface RevocationRecipe {
  language: 'Python' | 'Go'
  /** The file of the recipe in docs/. */
  file: string
  isInstalled: boolean
  /** Lines of its code that tests change, for shorter times. */
  shorter: { stale: Change; failure: Change; pause: Change }
  feed: RegExp
  /**
   * Writes the program with the code of the recipe into a folder.
   *
   * @returns the command that runs it with an API key as last argument
   */
  build(folder: string, code: string): Promise<[program: string, ...args: string[]]>
}

type Change = readonly [text: string, replacement: string]

/**
 * Defines the tests of a recipe. Its program prints the tenants and roles of each token whose claims and kid it reads, or
 * why the token is refused.
 */
export async function testRevocationRecipe({
  language,
  file,
  isInstalled,
  shorter,
  feed: feedLine,
  build,
}: RevocationRecipe) {
  const recipe = await readFile(new URL(`../../docs/${file}`, import.meta.url), 'utf8')

  const it = liveTest
    .extend('folder', async ({ origin: _ }, { onCleanup }) => {
      const folder = await mkdtemp(join(tmpdir(), 'usher-recipe-'))
      onCleanup(() => rm(folder, { recursive: true }))
      return folder
    })
    /** Starts the recipe. Returns what it says of a token. */
    .extend(
      'start',
      ({ folder }) =>
        async (feed: string, apiKey: string, change = (code: string) => code) => {
          const [program, ...args] = await build(folder, change(recipe).replace(feedLine, feed))
          const { child } = startChild(program, [...args, apiKey])
          const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
          return async (jwt: string, changes = {}) => {
            child.stdin.write(
              `${JSON.stringify([{ ...decodeJwt(jwt), ...changes }, decodeProtectedHeader(jwt).kid])}\n`,
            )
            const { value, done } = await lines.next()
            if (done) throw new Error('the recipe has ended')
            return JSON.parse(value)
          }
        },
    )

  // Most of the time of a test is waiting.
  const options = { concurrent: true }

  it.skipIf(!isInstalled)(
    `the recipe in ${language} does with revocations what the verifier does`,
    options,
    async ({ usher, origin, clock, start, onTestFinished }) => {
      clock.now = Date.now()
      const database = await usher.newDatabase()
      const operation = () => ({ store: usher.store, now: new Date(clock.now) })
      const described = { name: 'backend', scopes: ['revocations:read' as const], expiresInSeconds: 3600 }
      const { key } = await createApiKey(operation(), database, described)
      const of = optionsOf(usher, origin, database)
      const verifier = createVerifier({ ...of, revocations: { apiKey: key, onStale: 'refuse' } })
      onTestFinished(verifier.close)
      const feed = `${origin}${database.users.replace(/users$/, 'management/revocations')}`

      const users = []
      for (let count = 0; count < 5; count++) {
        const email = `user-${count}@example.com`
        const { id, tenants, token } = await database.signedUp({ email, newTenant: 'Engines' })
        users.push({ id, email, tenant: tenants[0] ?? '', jwt: token.jwt })
      }
      const [bystander, revoked, ended, moved, left] = users
      if (!bystander || !revoked || !ended || !moved || !left) throw new Error('no users')
      const session = (await database.openSession(ended.jwt)).json()

      const say = await start(feed, key)
      const accepted = (tenant: string) => [[tenant], { [tenant]: 'owner' }]
      await eventually(async () => expect(await say(bystander.jwt)).toEqual(accepted(bystander.tenant)))
      for (const { jwt, tenant } of users) expect(await say(jwt)).toEqual(accepted(tenant))

      await revokeTokens(operation(), database, revoked.id)
      await database.endSession(session.refreshToken.value)
      const other = await database.signedUp({ email: 'other@example.com' })
      await usher.store.prisma.membership.createMany({
        data: {
          databaseId: database.id,
          tenantId: moved.tenant,
          userId: other.id,
          role: 'owner',
          joinedAt: new Date(clock.now),
        },
      })
      const { jwt: byOther } = (await database.login({ email: 'other@example.com', password })).json().token
      const members = `${database.users.replace(/users$/, 'tenants')}/${moved.tenant}/members/${moved.id}`
      const response = await usher.send({
        method: 'PATCH',
        url: members,
        headers: { authorization: `Bearer ${byOther}` },
        payload: { role: 'admin' },
      })
      expect(response.statusCode).toBe(200)
      await deleteTenant(operation(), database, left.tenant)

      const expected = new Map<string, unknown>([
        [bystander.jwt, accepted(bystander.tenant)],
        [revoked.jwt, 'Revoked'],
        [ended.jwt, 'Revoked'],
        [session.token.jwt, 'Revoked'],
        [moved.jwt, [[moved.tenant], { [moved.tenant]: 'admin' }]],
        [left.jwt, [[], {}]],
      ])
      for (const [jwt, outcome] of expected) {
        await eventually(async () => expect(await say(jwt)).toEqual(outcome))
        await eventually(async () => {
          const { data, error } = await verifier.verify(jwt)
          expect(error ? 'Revoked' : data.tenants).toEqual(
            outcome === 'Revoked' ? outcome : (outcome as unknown[])[0],
          )
        })
      }
      const login = (await database.login({ email: revoked.email, password })).json().token.jwt
      expect(await say(login)).toEqual(accepted(revoked.tenant))
      expect(await say(login, { gen: undefined })).toBe('Revoked')
      expect(await say(login, { tenants: undefined, tenant_roles: undefined })).toEqual([null, null])

      const { kid = '' } = decodeProtectedHeader(bystander.jwt)
      await rotateKeys(operation(), database, 0)
      await retireKey(operation(), database, kid)
      await eventually(async () => expect(await say(bystander.jwt)).toBe('Revoked'))
    },
  )

  const page = { revocations: [] as object[], next: 'a.0', moreAvailable: false }
  const impatient = (code: string) => code.replace(...shorter.stale).replace(...shorter.failure)

  it.skipIf(!isInstalled)(
    `the recipe in ${language} says when revocations are not known`,
    options,
    async ({ database, start, folder: _, onTestFinished }) => {
      const { jwt } = (await database.signedUp()).token
      let respond = () => ({ status: 200, body: page })
      const { feed, urls } = await serveFeed(onTestFinished, () => respond())
      const say = await start(feed, 'usher_key', impatient)
      await eventually(async () => expect(await say(jwt)).not.toBe('Stale'))

      for (const body of [
        { ...page, revocations: [{ type: 'later-type' }] },
        { ...page, revocations: [{ type: 'tokens-revoked', userId: 'ada' }] },
        { revocations: [] },
      ]) {
        respond = () => ({ status: 200, body: body as typeof page })
        await eventually(async () => expect(await say(jwt)).toBe('Stale'))
        respond = () => ({ status: 200, body: page })
        await eventually(async () => expect(await say(jwt)).not.toBe('Stale'))
      }
      respond = () => ({ status: 410, body: page })
      await eventually(async () => expect(await say(jwt)).toBe('Stale'))
      await eventually(() => expect(new URL(urls.at(-1) ?? '', feed).searchParams.has('after')).toBe(false))
    },
  )

  it.skipIf(!isInstalled || language !== 'Python')(
    `the recipe in ${language} knows the revocations after the clock was ahead, and is stale although it is set back`,
    options,
    async ({ database, start, folder: _, onTestFinished }) => {
      const { jwt } = (await database.signedUp()).token
      const [bystander, revoked] = [
        jwt,
        (await database.signedUp({ email: 'revoked@example.com' })).token.jwt,
      ]
      const expiresAt = new Date(Date.now() + 86_520_000).toISOString()
      const { sub, gen } = decodeJwt(revoked)
      const revocation = { type: 'tokens-revoked', userId: sub, generation: Number(gen) + 1, expiresAt }
      let isAvailable = true
      const { feed, urls } = await serveFeed(onTestFinished, () =>
        isAvailable
          ? { status: 200, body: { ...page, revocations: urls.length === 1 ? [revocation] : [] } }
          : { status: 503, body: {}, retryAfter: '0' },
      )
      const say = await start(feed, 'usher_key', impatient)
      await eventually(async () => expect(await say(revoked)).toBe('Revoked'))

      const earlier = urls.length
      await eventually(async () => {
        await say(bystander, { shift: 2 * 86_400 })
        expect(urls.length).toBeGreaterThan(earlier + 2)
      })
      await eventually(async () => expect(await say(bystander)).not.toBe('Stale'))
      expect(await say(revoked)).toBe('Revoked')

      isAvailable = false
      await eventually(async () => expect(await say(bystander)).toBe('Stale'))
      for (let shift = 0; shift > -10; shift--) expect(await say(bystander, { shift })).toBe('Stale')
    },
  )

  it.skipIf(!isInstalled)(
    `the recipe in ${language} follows Retry-After for a limited time`,
    options,
    async ({ database, start, folder: _, onTestFinished }) => {
      const { jwt } = (await database.signedUp()).token
      let isAvailable = false
      const { feed, urls } = await serveFeed(onTestFinished, () =>
        isAvailable ? { status: 200, body: page } : { status: 503, body: {}, retryAfter: '86400' },
      )
      const say = await start(feed, 'usher_key', (code) => code.replace(...shorter.pause))
      await eventually(() => expect(urls.length).toBeGreaterThan(0))
      isAvailable = true
      await eventually(async () => expect(await say(jwt)).not.toBe('Stale'))
    },
  )
}

/** Starts a server of a feed that responds as a function says. Returns its URL and those of its requests. */
async function serveFeed(
  onTestFinished: (close: () => void) => void,
  respond: () => { status: number; body: object; retryAfter?: string },
) {
  const urls: string[] = []
  const server = createServer(({ url = '' }, response) => {
    urls.push(url)
    const { status, body, retryAfter = '1' } = respond()
    response
      .writeHead(status, { 'content-type': 'application/json', 'retry-after': retryAfter })
      .end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return { feed: `http://127.0.0.1:${(server.address() as AddressInfo).port}/revocations`, urls }
}
