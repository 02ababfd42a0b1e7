import { expect, vi } from 'vitest'
import { it } from '../support/api.js'
import { setDatabase } from '../support/operator-changes.js'
import { keptEvents } from '../support/tenants.js'

it('changes the display name, which null removes, and returns the user', async ({ database }) => {
  const { token } = await database.signedUp({ preferredName: 'Ada', newTenant: 'Engines' })
  const before = (await database.me(token.jwt)).json()
  const renamed = await database.as(token.jwt, 'PATCH', 'me', { preferredName: ' Countess ' })
  expect([renamed.statusCode, renamed.json()]).toEqual([200, { ...before, preferredName: 'Countess' }])
  const unchanged = await database.as(token.jwt, 'PATCH', 'me', {})
  expect(unchanged.json()).toEqual(renamed.json())
  const removed = await database.as(token.jwt, 'PATCH', 'me', { preferredName: null })
  expect(removed.json()).toEqual({ ...before, preferredName: null })
  expect((await database.me(token.jwt)).json()).toEqual(removed.json())
})

it('changes the locale in its canonical form, and keeps the fields that are not in the body', async ({
  database,
}) => {
  const { token } = await database.signedUp({ preferredName: 'Ada', locale: 'PT-br-u-nu-arab' })
  const changed = await database.as(token.jwt, 'PATCH', 'me', { locale: 'zh-hant-tw' })
  expect(changed.json()).toMatchObject({ preferredName: 'Ada', locale: 'zh-Hant-TW' })
  for (const locale of ['zh_Hant_TW', ' zh_hant_tw.UTF-8', 'zh-Hant_TW@stroke']) {
    const named = await database.as(token.jwt, 'PATCH', 'me', { locale })
    expect([locale, named.json().locale]).toEqual([locale, 'zh-Hant-TW'])
  }
  const removed = await database.as(token.jwt, 'PATCH', 'me', { locale: null })
  expect(removed.json()).toMatchObject({ preferredName: 'Ada', locale: null })
  const invalid = await database.as(token.jwt, 'PATCH', 'me', { locale: 'not a tag' })
  expect(invalid.json().errors).toEqual([
    { path: 'locale', code: 'invalid_type', detail: 'must be a BCP 47 language tag, such as pt-BR' },
  ])
})

it('changes only the user of the token', async ({ usher, database }) => {
  const [one, other] = [await database.signedUp(), await database.signedUp({ preferredName: 'Grace' })]
  await database.as(one.token.jwt, 'PATCH', 'me', { preferredName: 'Ada' })
  expect((await database.me(other.token.jwt)).json().preferredName).toBe('Grace')
  const elsewhere = await usher.newDatabase()
  const response = await elsewhere.as(one.token.jwt, 'PATCH', 'me', { preferredName: 'Ada' })
  expect(response.json().code).toBe('token_invalid')
})

it('returns token_invalid and logs no change if the user is deleted at the same time', async ({
  usher,
  database,
}) => {
  const { id, token } = await database.signedUp()
  const { findUser } = usher.context
  vi.spyOn(usher.context, 'findUser').mockImplementationOnce(async (...key) => {
    const user = await findUser(...key)
    await usher.store.prisma.user.deleteMany({ where: { databaseId: database.id, id } })
    return user
  })
  const response = await database.as(token.jwt, 'PATCH', 'me', { preferredName: 'Ada' })
  expect([response.statusCode, response.json().code]).toEqual([401, 'token_invalid'])
  expect(usher.logged()).not.toMatch(`"audit":"user.updated","databaseId":"${database.id}","userId":"${id}"`)
})

it('reports a change of the name once, even if the request is sent again', async ({ usher }) => {
  const database = await usher.newDatabase()
  await setDatabase(usher.store, database, { eventsKept: 1 })
  const { id: userId, token } = await database.signedUp()
  const name = { preferredName: 'Ada' }
  const responses = [1, 2].map(() => database.as(token.jwt, 'PATCH', 'me', name))
  for (const response of await Promise.all(responses)) expect(response.json()).toMatchObject(name)
  expect(await keptEvents(usher, database.id)).toEqual([
    { type: 'user.created', userId },
    { type: 'user.updated', userId },
  ])
  const audited = `"audit":"user.updated","databaseId":"${database.id}"`
  await expect.poll(() => usher.logged().split(audited)).toHaveLength(2)
})

it('returns a field error for an invalid name', async ({ database }) => {
  const { token } = await database.signedUp()
  const response = await database.as(token.jwt, 'PATCH', 'me', { preferredName: ' ' })
  expect([response.statusCode, response.json().errors]).toEqual([
    400,
    [{ path: 'preferredName', code: 'blank', detail: 'must not be blank' }],
  ])
})
