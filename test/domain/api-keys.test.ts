import { expect, it } from 'vitest'
import { requireValidApiKey } from '../../server/domain/api-keys/admit-api-key.js'
import { hashOfApiKey, idOfApiKey, newApiKey } from '../../server/domain/api-keys/api-key.js'
import { createApiKeyLookup } from '../../server/domain/api-keys/find-api-key.js'
import type { AppContext } from '../../server/domain/context.js'
import type { StoredApiKey } from '../../server/store/queries/api-keys.js'

const expiresAt = new Date('2026-03-01T12:00:00Z')

/** Returns the lookup of a store that has some keys, and the ids that it has read. */
function newLookup(...texts: string[]) {
  const state = { keys: new Map<string, StoredApiKey>(), reads: [] as string[], time: 1_000 }
  for (const text of texts) {
    const id = String(idOfApiKey(text))
    state.keys.set(id, { id, hash: hashOfApiKey(text), scopes: [], expiresAt, lastUsedOn: null })
  }
  const query = async (_text: string, [, ids]: [string, string[]]) => {
    state.reads.push(...ids)
    return ids.flatMap((id) => state.keys.get(id) ?? [])
  }
  return { state, ...createApiKeyLookup({ query } as never, () => state.time) }
}

it('a new key is a text with its id, a secret and a checksum', () => {
  const { id, text } = newApiKey()
  expect(text).toMatch(new RegExp(`^usher_${id}_[\\dA-Za-z]{49}$`))
  expect(idOfApiKey(text)).toBe(id)
  expect(newApiKey().text).not.toBe(text)
})

it('a mistyped key is no key, whichever letter is wrong', () => {
  const { id, text } = newApiKey()
  const withIdOfAnother = newApiKey().text.replace(/_\w{12}_/, `_${id}_`)
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] === 'x' ? 'y' : 'x'
    expect(idOfApiKey(text.slice(0, at) + letter + text.slice(at + 1)), `letter ${at}`).toBeUndefined()
  }
  for (const other of [`${text}x`, ` ${text}`, text.slice(0, -1), withIdOfAnother])
    expect(idOfApiKey(other)).toBeUndefined()
})

it('finds a key by its text, and reads it for each request', async () => {
  const { id, text } = newApiKey()
  const { state, byText, byId, wasAccepted } = newLookup(text)
  expect(wasAccepted('one', text)).toBe(false)
  expect(await byText('one', text)).toMatchObject({ id })
  expect([wasAccepted('one', text), wasAccepted('two', text)]).toEqual([true, false])
  expect(await byText('one', text)).toMatchObject({ id })
  expect(await byId('one', id)).toMatchObject({ id })
  expect(state.reads).toEqual([id, id, id])
})

it('does not read a text that is no key', async () => {
  const { text } = newApiKey()
  const { state, byText } = newLookup(text)
  expect(await byText('one', `${text}x`)).toBeUndefined()
  expect(state.reads).toEqual([])
})

it('remembers for a minute that a database has no such key', async () => {
  const { id, text } = newApiKey()
  const { state, byText } = newLookup()
  expect(await byText('one', text)).toBeUndefined()
  state.time += 60_000
  expect(await byText('one', text)).toBeUndefined()
  expect(state.reads).toEqual([id])
  expect(await byText('two', text)).toBeUndefined()
  expect(state.reads).toEqual([id, id])
  state.time += 1
  expect(await byText('one', text)).toBeUndefined()
  expect(state.reads).toEqual([id, id, id])
})

it('refuses a key with the id of another', async () => {
  const { id, text } = newApiKey()
  const { state, byText } = newLookup(text)
  const stored = state.keys.get(id)
  if (stored) stored.hash = hashOfApiKey('another')
  expect(await byText('one', text)).toBeUndefined()
  expect(state.reads).toEqual([id])
})

it('refuses a key from the request on that finds it revoked', async () => {
  const { id, text } = newApiKey()
  const { state, byText, wasAccepted } = newLookup(text)
  await byText('one', text)
  state.keys.clear()
  expect(await byText('one', text)).toBeUndefined()
  expect(wasAccepted('one', text)).toBe(false)
  expect(await byText('one', text)).toBeUndefined()
  expect(state.reads).toEqual([id, id])
})

it('reads a key together with what else a request needs', async () => {
  const { id, text } = newApiKey()
  const { state, byText } = newLookup(text)
  const read = async (of: string) => ({ ...state.keys.get(of), scopes: ['users:read'] }) as StoredApiKey
  expect(await byText('one', text, read)).toMatchObject({ id, scopes: ['users:read'] })
  expect(state.reads).toEqual([])
})

it('a key is valid until it expires or is revoked', async () => {
  const { id, text } = newApiKey()
  const { state, byId } = newLookup(text)
  let now = expiresAt.getTime() - 1
  const context = { now: () => now, findApiKey: { byId } } as unknown as AppContext
  const required = () => requireValidApiKey(context, 'one', { id, scopes: new Set() })
  await expect(required()).resolves.toBeUndefined()
  now += 1
  await expect(required()).rejects.toMatchObject({ code: 'key_invalid' })
  now -= 1
  state.keys.clear()
  await expect(required()).rejects.toMatchObject({ code: 'key_invalid' })
})
