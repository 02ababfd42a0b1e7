import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { generateSigningKey, openTokenKey } from '../../server/domain/keys/signing-keys.js'
import { requireMasterKey } from '../../server/domain/management/keys/require-master-key.js'
import { it } from '../support/api.js'

const masterKey = randomBytes(32)
const databaseId = '01900000-0000-7000-8000-000000000000'
const row = () =>
  generateSigningKey({ id: databaseId, signingAlgorithm: 'ES256' }, masterKey, { now: new Date(0) })

it('stores no private key in plain text', () => {
  expect(Buffer.from(row().sealedPrivateKey).toString('latin1')).not.toContain('PRIVATE KEY')
})

it('encrypts the same key differently each time', () => {
  expect(row().sealedPrivateKey).not.toEqual(row().sealedPrivateKey)
})

it.each([
  ['another master key', row(), randomBytes(32)],
  ['the row of another database', { ...row(), databaseId: databaseId.replace('0190', '0191') }, masterKey],
  ['another kid', { ...row(), sealedPrivateKey: row().sealedPrivateKey }, masterKey],
  ['a changed byte', withChangedByte(), masterKey],
])('does not open a sealed key with %s', (_name, sealed, key) => {
  expect(() => openTokenKey(sealed, { masterKey: key }, 'issuer')).toThrow(
    'cannot be opened with this master key',
  )
})

it('does not open an encrypted key with the public key of another pair', () => {
  const changed = { ...row(), publicKey: row().publicKey }
  expect(() => openTokenKey(changed, { masterKey }, 'issuer')).toThrow(
    `signing key ${changed.kid} of database ${databaseId} has a public key that does not match its kid`,
  )
})

function withChangedByte() {
  const changed = row()
  changed.sealedPrivateKey[40] = (changed.sealedPrivateKey[40] ?? 0) ^ 1
  return changed
}

it('throws when the master key is not that of the store', async ({ usher }) => {
  await usher.newDatabase()
  expect(await requireMasterKey(usher.store)).toBe(usher.store)
  await expect(requireMasterKey({ ...usher.store, masterKey })).rejects.toThrow(
    /USHER_MASTER_KEY cannot decrypt/,
  )
})
