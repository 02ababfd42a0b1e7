import { expect } from 'vitest'
import { openDataCipher } from '../../server/domain/keys/data-key.js'
import { findDataKey } from '../../server/store/queries/data-keys.js'
import { it } from '../support/api.js'

const secret = Buffer.from('12345678901234567890')

it('decrypts a secret only in its row and database', async ({ store, usher, database }) => {
  const now = new Date(usher.clock.now)
  const cipher = await openDataCipher(store, database.id, now)
  const sealed = cipher.seal(secret, 'a')
  expect((await openDataCipher(store, database.id, now)).open(sealed, 'a')).toEqual(secret)
  expect(() => cipher.open(sealed, 'b')).toThrow()
  const other = await openDataCipher(store, (await usher.newDatabase()).id, now)
  expect(() => other.open(sealed, 'a')).toThrow()
  expect(Buffer.from(sealed).includes(secret)).toBe(false)
})

it('creates one key when several requests need the first one', async ({ store, usher }) => {
  const { id } = await usher.newDatabase()
  const open = () => openDataCipher(store, id, new Date(usher.clock.now))
  expect(await findDataKey(store, id)).toBeUndefined()
  const [cipher, ...others] = await Promise.all([open(), open(), open()])
  for (const other of others) expect(other.open(cipher.seal(secret, 'a'), 'a')).toEqual(secret)
})
