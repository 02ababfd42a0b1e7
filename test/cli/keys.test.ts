import { expect } from 'vitest'
import { password } from '../support/app.js'
import { it as operatorTest } from '../support/operator.js'

const email = 'ada@example.com'
const kidOf = (jwt: string): string =>
  JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()).kid

const it = operatorTest.extend('account', async ({ usher, database }) => {
  const { token } = await database.signedUp({ email })
  /** Returns the statuses of login and me on another server whose clock shows `now`. */
  async function onOtherServer(now = Date.now()) {
    const server = await usher.otherServer()
    server.clock.now = now
    const { login, me } = server.client(database.workspaceSlug, database.databaseName)
    const fresh = (await login({ email, password })).json().token.jwt
    const [old, next] = [await me(token.jwt), await me(fresh)].map(({ statusCode }) => statusCode)
    await server.close()
    return { kid: kidOf(fresh), old, fresh: next }
  }
  return { ...database, kid: kidOf(token.jwt), onOtherServer }
})

it('keys rotate publishes a key that signs after --activate-in, by default 3,600 s', async ({
  usher,
  account,
}) => {
  const { id, path, kid, onOtherServer } = account
  const before = Date.now()
  const { audited, stdout } = await usher.operator(`keys rotate ${path}`)
  const rotatedBefore = Date.now()
  const [next, present] = await usher.rows(`keys list ${path}`)
  expect(stdout).toBe(`Published key ${next.kid} (ES256). It signs from ${next.activatesAt}.\n`)
  expect(audited).toMatchObject([{ audit: 'keys.rotated', databaseId: id, kid: next.kid }])
  expect(present).toMatchObject({ kid, state: 'signs', algorithm: 'ES256', retiresAt: expect.any(String) })
  expect(next).toMatchObject({ state: 'next', retiresAt: null })
  const activates = Date.parse(next.activatesAt)
  const rotated = activates - 3_600_000
  expect([before <= rotated, rotated <= rotatedBefore]).toEqual([true, true])
  expect(await onOtherServer(activates - 1)).toMatchObject({ kid, fresh: 200 })
  expect(await onOtherServer(activates)).toMatchObject({ kid: next.kid, fresh: 200 })
  expect(await usher.outcome(`keys rotate ${path} --activate-in 1`)).toMatch(
    `1 usher: key ${next.kid} is already pending and signs from ${next.activatesAt}. If the key that signs was stolen, let the pending one sign immediately. Run: npx @usher/server keys rotate ${path} --activate-in 0\n`,
  )
})

it('keys rotate --activate-in 0 lets a pending key sign, so that a stolen one can be retired', async ({
  usher,
  account,
}) => {
  const { id, path, kid, onOtherServer } = account
  const { kid: next } = await usher.json(`keys rotate ${path} --activate-in 3600`)
  const { audited, stdout } = await usher.operator(`keys rotate ${path} --activate-in 0`)
  expect(stdout).toContain(`Published key ${next} `)
  expect(audited).toMatchObject([{ audit: 'keys.rotated', databaseId: id, kid: next }])
  expect(await usher.rows(`keys list ${path}`)).toMatchObject([
    { kid: next, state: 'signs' },
    { kid, state: 'accepted' },
  ])
  expect(await onOtherServer()).toEqual({ kid: next, old: 200, fresh: 200 })
  await usher.operator(`keys retire ${path} ${kid}`)
  expect(await onOtherServer()).toEqual({ kid: next, old: 401, fresh: 200 })
})

it('keys list shows the state of each key', async ({ usher, account }) => {
  const { path, kid } = account
  const { kid: second } = await usher.json(`keys rotate ${path} --activate-in 0`)
  const { kid: third } = await usher.json(`keys rotate ${path} --activate-in 0`)
  await usher.operator(`keys retire ${path} ${second}`)
  const { stdout } = await usher.operator(`keys list ${path}`)
  const time = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z'
  expect(stdout).toMatch(
    new RegExp(
      `^KID {42}ALGORITHM  STATE     SIGNS FROM {16}ACCEPTED UNTIL\n` +
        `${third}  ES256 {6}signs     ${time}\n` +
        `${second}  ES256 {6}retired   ${time}  ${time}\n` +
        `${kid}  ES256 {6}accepted  ${time}  ${time}\n$`,
    ),
  )
})

it('keys retire rejects the tokens of a key immediately', async ({ usher, account }) => {
  const { id, path, kid, onOtherServer } = account
  expect(await usher.outcome(`keys retire ${path} ${kid}`)).toBe(
    `1 usher: no other key can sign yet. First rotate, and let the next key sign immediately. Run: npx @usher/server keys rotate ${path} --activate-in 0\n`,
  )
  const { kid: next } = await usher.json(`keys rotate ${path} --activate-in 0`)
  const { audited } = await usher.operator(`keys retire ${path} ${kid}`)
  expect(audited).toMatchObject([{ audit: 'keys.retired', databaseId: id, kid }])
  expect(await onOtherServer()).toEqual({ kid: next, old: 401, fresh: 200 })
})

it('keys retire of the newest key makes the previous key sign permanently', async ({ usher, account }) => {
  const { path, kid, onOtherServer } = account
  const { kid: leaked } = await usher.json(`keys rotate ${path}`)
  await usher.json(`keys retire ${path} ${leaked}`)
  const years = Date.now() + 3 * 365 * 86_400_000
  expect(await onOtherServer(years)).toEqual({ kid, old: 401, fresh: 200 })
  const { kid: next } = await usher.json(`keys rotate ${path} --activate-in 0`)
  expect((await onOtherServer()).kid).toBe(next)
})

it('keys rotate does not prolong earlier keys', async ({ usher, account }) => {
  const { path } = account
  await usher.json(`keys rotate ${path} --activate-in 0`)
  const [, earlier] = await usher.rows(`keys list ${path}`)
  await usher.json(`keys rotate ${path} --activate-in 600`)
  expect((await usher.rows(`keys list ${path}`)).at(-1)).toEqual(earlier)
})

it('keys retire of an earlier key leaves the ends of the others', async ({ usher, account }) => {
  const { path, kid } = account
  await usher.json(`keys rotate ${path} --activate-in 0`)
  await usher.json(`keys rotate ${path}`)
  const [next, present] = await usher.rows(`keys list ${path}`)
  await usher.json(`keys retire ${path} ${kid}`)
  expect((await usher.rows(`keys list ${path}`)).slice(0, 2)).toEqual([next, present])
})

it('keys retire accepts a kid that starts with a dash', async ({ usher, account }) => {
  const { path } = account
  expect(await usher.outcome(`keys retire ${path} -Lx`)).toBe(
    '3 usher: key -Lx does not exist in this database\n',
  )
  expect(await usher.outcome(`keys retire ${path} -Lx --nope`)).toMatch(/^2 usher: too many arguments/)
})
