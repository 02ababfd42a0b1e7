import { randomUUID } from 'node:crypto'
import { generateKeyPair, SignJWT } from 'jose'
import type { ConnectionOptions } from '../../server/domain/connections/connection.js'
import { signedText } from '../../server/domain/keys/signed-text.js'
import type { ProviderClaims } from '../../server/domain/providers/identify.js'
import { insertReturned, storeClaims } from '../../server/store/queries/login-attempts.js'
import type { TestApi } from './app.js'
import { elsewhere } from './codes.js'
import { it as mailTest, newVerifier } from './login-mail.js'

/** What a provider says about a person. */
type Person = Partial<ProviderClaims> & { connection?: string }

/** Adds a connection whose provider is never asked. test/api/external-*.test.ts have real ones. */
export async function addConnection(
  { store, clock }: TestApi,
  databaseId: string,
  name: string,
  options: ConnectionOptions = {},
) {
  const data = { preset: 'oidc', issuer: `https://${name}.example`, clientId: 'app', options }
  await store.prisma.connection.upsert({
    where: { databaseId_name: { databaseId, name } },
    create: { ...data, databaseId, name, createdAt: new Date(clock.now) },
    update: { options },
  })
  clock.cacheAhead += 6_000
}

/** Stores what a provider has said, as the callback does. Returns the code in the URL of the app. */
export async function returnedCode(
  { store, clock, context }: TestApi,
  databaseId: string,
  { challenge, connection = 'acme', ...person }: Person & { challenge: string },
) {
  const id = randomUUID()
  const claims: ProviderClaims = {
    issuer: `https://${connection}.example`,
    subject: 'ada',
    email: 'ada@example.com',
    emailProof: 'authoritative',
    preferredName: 'Ada',
    locale: null,
    ...person,
  }
  const expiresAt = new Date(clock.now + 600_000)
  await insertReturned(store, { databaseId, id, challenge, connection, expiresAt })
  await storeClaims(store, { databaseId, id }, { claims, expiresAt })
  return signedText(await context.findSecrets(databaseId), { purpose: 'external_code', id })
}

/** Lets a server accept ID tokens without a provider. Returns a function that signs one for the connection `acme`. */
export async function signTokens({ context }: TestApi) {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const known = {
    token: '',
    secretMethods: ['form'] as const,
    isPrivate: false,
    sendsIssuer: false,
    keys: async () => publicKey,
  }
  context.providers.find = async ({ issuer }) => ({
    ...known,
    authorization: `${issuer}/authorize`,
    isIssuer: (iss) => iss === issuer,
  })
  // Every provider knows every client.
  context.providers.fetch = async () => ({ status: 400, body: { error: 'invalid_grant' } })
  return (claims: { sub: string; nonce: string; email?: string }) =>
    new SignJWT({ email_verified: true, ...claims })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer('https://acme.example')
      .setAudience('app')
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey)
}

/** `it` with connections, and logins that have returned from their providers. */
export const it = mailTest.extend('provider', async ({ app, usher, mail }) => {
  const databaseId = app.id
  const connect = (name: string, options?: ConnectionOptions) =>
    addConnection(usher, databaseId, name, options)
  await connect('acme')
  await connect('other')

  /** Lets a person return from a provider. Returns the code in the URL of the app, and the verifier of the client. */
  async function returned(person: Person = {}, { verifier, challenge } = newVerifier()) {
    return { code: await returnedCode(usher, databaseId, { challenge, ...person }), verifier }
  }
  return {
    connect,
    returned,
    finish: mail.finish,
    /** Returns from a provider, and finishes the login. */
    logIn: async (person: Person = {}, more: object = {}) =>
      mail.finish({ ...(await returned(person)), ...more }, elsewhere()),
    identities: (userId: string) =>
      usher.store.prisma.identity.findMany({
        where: { databaseId, userId },
        orderBy: { connection: 'asc' },
      }),
    link: async (jwt: string, person: Person, more: object = {}) =>
      app.as(jwt, 'POST', 'me/identities', { ...(await returned(person)), ...more }),
  }
})
