import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { it } from '../support/operator.js'

it('shows what the domain of passkeys must serve for apps at other domains', async ({ usher }) => {
  const { path } = await usher.newDatabase()
  const show = () => usher.outcome(`database show ${path}`)
  await usher.operator(`database set ${path} --app-url https://app.example.com`)
  expect(await show()).not.toContain('webauthn')
  const origins = `https://app.example.com,https://example.net,android:apk-key-hash:${'A'.repeat(43)}`
  await usher.operator(`database set ${path} --passkey-origins ${origins}`)
  expect(await show()).toContain(
    '\n\nhttps://app.example.com/.well-known/webauthn must serve, as application/json:\n{"origins":["https://example.net"]}',
  )
  expect(await usher.json(`database show ${path}`)).toMatchObject({
    wellKnownWebauthn: { origins: ['https://example.net'] },
  })
})

it('refuses to change the domain of passkeys that users have, unless it is forced', async ({
  usher,
  store,
}) => {
  const database = await usher.newDatabase()
  const { path, id: databaseId } = database
  const set = `database set ${path}`
  await usher.operator(`${set} --app-url https://app.example.com`)
  const { id: userId } = await database.signedUp()
  const credentialId = new Uint8Array([1])
  const domain = 'app.example.com'
  await store.prisma.factor.createMany({
    data: [
      { databaseId, id: randomUUID(), userId, kind: 'passkey', credentialId, domain, createdAt: new Date() },
    ],
  })
  expect(await usher.json(`${set} --app-url https://app.example.com/start`)).toMatchObject({
    passkeyDomain: domain,
    values: { passkeyDomain: null },
  })
  const only = (place: string) =>
    new RegExp(
      `^4 usher: users have passkeys of app\\.example\\.com, and passkeys would work ${place}\\. `,
      'i',
    )
  expect(await usher.outcome(`${set} --app-url https://example.com --sign-up off`)).toMatch(
    only('only at example\\.com'),
  )
  expect(await usher.outcome(`${set} --passkey-domain example.com`)).toMatch(only('only at example\\.com'))
  expect(await usher.outcome(`${set} --app-url none`)).toMatch(only('nowhere'))
  expect(await usher.outcome(`${set} --app-url none`)).toMatch(
    / set the passkey domain to app\.example\.com\. To change it anyway, add --force\n$/,
  )
  // Nothing of a refused command is stored.
  expect(await usher.json(`database show ${path}`)).toMatchObject({
    values: { appUrl: 'https://app.example.com/start', signUp: true },
  })
  const kept = `${set} --app-url https://example.com --passkey-domain app.example.com`
  expect(await usher.json(kept)).toMatchObject({
    values: { appUrl: 'https://example.com', passkeyDomain: domain },
  })
  expect(await usher.json(`${set} --passkey-domain default --force`)).toMatchObject({
    values: { passkeyDomain: null },
  })
})

it.for([
  ['--passkey-domain', 'https://example.com', 'must be a domain'],
  ['--passkey-domain', '127.0.0.1', 'must be a domain'],
  ['--passkey-domain', 'Example.com', 'must be a domain'],
  ['--passkey-origins', 'http://example.com', 'must be up to 20'],
  ['--passkey-origins', 'https://example.com/', 'must be up to 20'],
  ['--passkey-origins', 'https://example.com,https://example.com', 'must be up to 20'],
])('rejects %s %s', async ([option, value, message], { usher }) => {
  const { path } = await usher.newDatabase()
  expect(await usher.outcome(`database set ${path} ${option} ${value}`)).toContain(`${option} ${message}`)
})
