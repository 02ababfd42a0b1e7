import type { UserLine } from '@usher/contract/management'
import { expect } from 'vitest'
import { exportUsers } from '../../server/domain/management/users/export-users.js'
import { outcome } from '../support/codes.js'
import { importAll, linesOf } from '../support/lines.js'
import { createApiKey, setDatabase } from '../support/operator-changes.js'
import { it as passkeysTest } from '../support/passkeys.js'

const it = passkeysTest.extend('exported', ({ usher, app }) => async () => {
  const lines: UserLine[] = []
  for await (const line of exportUsers(usher.store, app.id, { now: new Date(usher.clock.now) }))
    lines.push(line)
  return lines
})

it('logs in an imported user by the passkey of the line, and asks for no second step', async ({
  passkeys,
  usher,
  exported,
}) => {
  const { authenticator, credentials, factor, signedUp } = await passkeys.owner({ isSynced: false })
  expect((await passkeys.login(authenticator)).statusCode).toBe(200)
  const [line] = await exported()
  expect(line?.passkeys).toMatchObject([
    {
      credentialId: factor.passkey.credentialId,
      domain: 'app.example.com',
      signCount: 1,
      isSynced: false,
      name: 'Phone',
    },
  ])
  const other = await usher.newDatabase()
  await setDatabase(usher.store, other, { appUrl: 'https://app.example.com' })
  usher.clock.cacheAhead += 6_000
  expect(await importAll(usher, other.id, linesOf(JSON.parse(JSON.stringify(line))))).toMatchObject({
    added: 1,
  })
  const post = (path: string, payload?: object) =>
    usher.send({ method: 'POST', url: `${other.users}/${path}`, ...(payload && { payload }) })
  const login = async (signCount?: number) => {
    const { options } = (await post('login/passkey')).json()
    const passkey = authenticator.get(options, signCount === undefined ? {} : { signCount })
    return post('login/passkey/confirm', { passkey })
  }
  expect(outcome(await login(1))).toEqual([401, 'passkey_invalid'])
  expect((await login()).json()).toMatchObject({ id: signedUp.id })
  expect((await other.login(credentials)).statusCode).toBe(200)
})

it('rejects a line whose passkey is of another user, of an earlier line, or has no usable key', async ({
  passkeys,
  usher,
  app,
  exported,
}) => {
  await passkeys.owner()
  const [stored] = (await exported())[0]?.passkeys ?? []
  const { createdAt: _, ...passkey } = { ...stored, name: undefined }
  const line = (name: string, ...given: object[]) => ({ email: `${name}@example.com`, passkeys: given })
  const fresh = { ...passkey, credentialId: 'AAAA' }
  const result = await importAll(
    usher,
    app.id,
    linesOf(
      line('taken', passkey),
      line('first', fresh),
      line('second', { ...passkey, credentialId: 'BBBB' }, fresh),
      line('twice', { ...passkey, credentialId: 'CCCC' }, { ...passkey, credentialId: 'CCCC' }),
      line('key', { ...passkey, credentialId: 'DDDD', publicKey: 'AAAA' }),
      line('text', { ...passkey, credentialId: 'D D' }),
    ),
  )
  expect(result).toEqual({
    added: 1,
    alreadyThere: 0,
    rejected: [
      '1 passkeys.0.credentialId: belongs to another user',
      '3 passkeys.1.credentialId: belongs to another user',
      '4 passkeys.1.credentialId: must not be the ID of an earlier passkey',
      '5 passkeys.0.publicKey: is not a COSE key with ES256, EdDSA or RS256',
      '6 passkeys.0.credentialId: must be base64url without padding',
    ],
  })
})

it('imports passkeys only with a key that may write credentials', async ({
  usher,
  app,
  passkeys,
  exported,
}) => {
  await passkeys.owner()
  const [line] = await exported()
  const operation = { store: usher.store, now: new Date(usher.clock.now) }
  const { key } = await createApiKey(operation, app, {
    name: 'import',
    scopes: ['users:write'],
    expiresInSeconds: 60,
  })
  const response = await usher.send({
    method: 'POST',
    url: app.users.replace(/users$/, 'management/users/import'),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
    payload: `${JSON.stringify({ email: 'other@example.com', passkeys: line?.passkeys })}\n`,
  })
  expect(outcome(response)).toEqual([403, 'insufficient_scope'])
})
