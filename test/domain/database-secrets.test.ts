import { describe, expect } from 'vitest'
import { systemClock } from '../../server/domain/clock.js'
import { createSecretLookup } from '../../server/domain/keys/database-secrets.js'
import { it as apiTest } from '../support/api.js'
import { start } from '../support/app.js'
import { retireKey, rotateKeys } from '../support/operator-changes.js'

const day = 86_400_000
const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const it = apiTest.extend('world', async ({ usher }) => {
  const { id, workspaceSlug, databaseName } = await usher.newDatabase()
  const clock = { now: start }
  const serverClock = { ...systemClock, now: () => clock.now }
  return {
    id,
    clock,
    /** Reads the secrets as another server does, with an empty cache. */
    secrets: () => createSecretLookup(usher.store, serverClock)(id),
    rotate: (activateInSeconds = 0) =>
      rotateKeys(
        { store: usher.store, now: new Date(clock.now) },
        { workspaceSlug, databaseName },
        activateInSeconds,
      ),
    /** Retires the signing key that a rotation has replaced, with the secret of its time. */
    async retireFirst() {
      const [key] = await usher.store.prisma.signingKey.findMany({
        where: { databaseId: id },
        orderBy: { createdAt: 'asc' },
      })
      const operation = { store: usher.store, now: new Date(clock.now) }
      await retireKey(operation, { workspaceSlug, databaseName }, String(key?.kid))
    },
    rows: () => usher.store.prisma.databaseSecret.findMany({ where: { databaseId: id } }),
  }
})

describe('secrets of a database', () => {
  it('servers that need the first secret at the same time get the same one', async ({ world }) => {
    const all = await Promise.all(Array.from({ length: 10 }, world.secrets))
    expect(new Set(all.map((each) => each.sign('refresh_token', 'a'))).size).toBe(1)
    expect(await world.rows()).toHaveLength(1)
  })

  it('secrets verify what they signed, and nothing else', async ({ usher, world }) => {
    const secrets = await world.secrets()
    const mac = secrets.sign('refresh_token', 'a', 1)
    expect(mac).toMatch(/^[\w-]{43}$/)
    expect(secrets.verify(mac, 'refresh_token', 'a', 1)).toBe(true)
    for (const parts of [['a', 2], ['a', '1'], ['a'], ['b', 1], ['a', 1, '']])
      expect(secrets.verify(mac, 'refresh_token', ...parts)).toBe(false)
    const last = base64url.indexOf(mac.slice(-1))
    const sameBytes = mac.slice(0, -1) + base64url[last + 1]
    expect(Buffer.from(sameBytes, 'base64url')).toEqual(Buffer.from(mac, 'base64url'))
    for (const other of ['', mac.slice(1), `${mac}x`, sameBytes, 'é'.repeat(43)])
      expect(secrets.verify(other, 'refresh_token', 'a', 1)).toBe(false)
    const elsewhere = await createSecretLookup(usher.store)((await usher.newDatabase()).id)
    expect(elsewhere.verify(mac, 'refresh_token', 'a', 1)).toBe(false)
  })

  it('a rotated secret signs when every server knows it, and the earlier one verifies for --session-max', async ({
    world,
  }) => {
    const mac = (await world.secrets()).sign('refresh_token', 'a')
    await world.rotate()
    const stale = await world.secrets()
    world.clock.now += 59_999
    expect(stale.sign('refresh_token', 'a')).toBe(mac)
    world.clock.now += 1
    const next = stale.sign('refresh_token', 'a')
    expect(next).not.toBe(mac)
    world.clock.now += 90 * day - 1
    expect(stale.verify(mac, 'refresh_token', 'a')).toBe(true)
    world.clock.now += 1
    expect(stale.verify(mac, 'refresh_token', 'a')).toBe(false)
    expect(stale.verify(next, 'refresh_token', 'a')).toBe(true)
    await world.rotate()
    expect((await world.rows()).map(({ number }) => number)).toEqual([2, 3])
  })

  it('a rotation with a delay of 0 brings the secret of a pending key forward', async ({ world }) => {
    const mac = (await world.secrets()).sign('refresh_token', 'a')
    const { kid } = await world.rotate(3_600)
    world.clock.now += 1_000
    const rotated = await Promise.all([world.rotate(), world.rotate()])
    expect(rotated.filter((each) => each.kid === kid)).toHaveLength(1)
    world.clock.now += 59_999
    expect((await world.secrets()).sign('refresh_token', 'a')).toBe(mac)
    world.clock.now += 1
    expect((await world.secrets()).sign('refresh_token', 'a')).not.toBe(mac)
    expect(await world.rows()).toHaveLength(3)
  })

  it('a rotated secret does not sign before the key that was rotated with it', async ({ world }) => {
    const mac = (await world.secrets()).sign('refresh_token', 'a')
    await world.rotate(3600)
    const secrets = await world.secrets()
    world.clock.now += 3_599_999
    expect(secrets.sign('refresh_token', 'a')).toBe(mac)
    world.clock.now += 1
    expect(secrets.sign('refresh_token', 'a')).not.toBe(mac)
  })

  it('the secret of a later key stays when an earlier key is retired', async ({ world }) => {
    const mac = (await world.secrets()).sign('refresh_token', 'a')
    world.clock.now += 1_000
    await world.rotate()
    world.clock.now += 60_000
    const later = (await world.secrets()).sign('refresh_token', 'a')
    await world.retireFirst()
    const secrets = await world.secrets()
    expect([mac, later].map((each) => secrets.verify(each, 'refresh_token', 'a'))).toEqual([false, true])
  })

  it('secrets verify what they sign right after one was retired, before its successor is active', async ({
    world,
  }) => {
    const mac = (await world.secrets()).sign('refresh_token', 'a')
    world.clock.now += 1_000
    await world.rotate()
    await world.retireFirst()
    const secrets = await world.secrets()
    expect(secrets.verify(mac, 'refresh_token', 'a')).toBe(false)
    expect(secrets.verify(secrets.sign('refresh_token', 'a'), 'refresh_token', 'a')).toBe(true)
  })

  it('a secret cannot be opened in the row of another database', async ({ usher, world }) => {
    await world.secrets()
    const [row] = await world.rows()
    const other = await usher.newDatabase()
    const data = { ...row, databaseId: other.id } as NonNullable<typeof row>
    await usher.store.prisma.databaseSecret.createMany({ data })
    await expect(createSecretLookup(usher.store)(other.id)).rejects.toThrow(/authenticate/)
  })
})
