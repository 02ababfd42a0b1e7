import { randomUUID } from 'node:crypto'
import type { DatabasePath } from '@usher/contract'
import { expect, test } from 'vitest'
import { type CodePurpose, issueCode } from '../../../server/domain/codes/code.js'
import { createDatabase } from '../../../server/domain/management/databases.js'
import { createWorkspace } from '../../../server/domain/management/workspaces.js'
import { startApp } from '../../support/app.js'
import { openPostgresCopy, type TestStore } from '../../support/store.js'
import type { Account, World } from './requests.js'
import { knownEmail, knownPassword, mark } from './values.js'

const paths: DatabasePath[] = [
  { workspaceSlug: 'one', databaseName: 'app' },
  { workspaceSlug: 'one', databaseName: 'web' },
  { workspaceSlug: 'two', databaseName: 'app' },
]
const settings = [
  {},
  { passwordPolicy: 'none', signingAlgorithm: 'EdDSA' },
  { passwordPolicy: 'nist', signingAlgorithm: 'RS256' },
] as const

/** Texts of clients, tokens, refresh tokens and codes. */
const unwanted = new RegExp(`${mark('')}|internal error|eyJ[\\w-]{20,}|[\\da-f-]{36}\\.(\\d+\\.)?[\\w-]{43}`)

/** Starts a server with three databases that have the same ten accounts, each with all credentials. */
async function startWorld(store: TestStore) {
  const usher = await startApp(store, { TRUST_PROXY: '1', TOKEN_MAX_AGE: '86400' })
  const { prisma } = store
  const createdAt = new Date(usher.clock.now)
  const expiresAt = new Date(usher.clock.now + 86_400_000)
  for (const slug of ['one', 'two']) await createWorkspace(store, slug, createdAt)
  const accounts: Account[] = []
  for (const [index, path] of paths.entries()) {
    const { id: databaseId } = await createDatabase({ store, now: createdAt }, path, {
      appUrl: 'https://app.example.com',
      loginMail: 'both',
      signUpsPerHour: 0,
      singleSignOn: true,
      ...settings[index],
    })
    const { signedUp, login, openSession } = usher.client(path.workspaceSlug, path.databaseName)

    async function codeOf(userId: string, canonicalEmail: string, purpose: CodePurpose) {
      const id = randomUUID()
      const data = { databaseId, id, purpose, userId, canonicalEmail, createdAt, expiresAt }
      await prisma.code.create({ data })
      return issueCode(usher.context, { databaseId, purpose, id, canonicalEmail })
    }

    for (let number = 0; number < 10; number++) {
      const body = { email: knownEmail(number), password: knownPassword(number) }
      const { id, token } = await signedUp(body)
      const session = (await openSession((await login(body)).json().token.jwt)).json()
      const verifyEmail = await codeOf(id, body.email, 'email_verification')
      accounts.push({
        ...body,
        path,
        tokens: [token.jwt, session.token.jwt],
        refreshToken: session.refreshToken.value,
        codes: {
          resetPassword: await codeOf(id, body.email, 'password_reset'),
          verifyEmail,
          // Codes of another purpose, so that no user joins a tenant or gets another address.
          acceptInvitation: verifyEmail,
          changeEmail: verifyEmail,
          undoEmailChange: verifyEmail,
        },
      })
    }
  }
  const world: World = { paths, accounts }
  const [users, sessions, codes] = await Promise.all([
    prisma.user.findMany(),
    prisma.session.findMany(),
    prisma.code.findMany(),
  ])

  /** Sets the clock, the accounts and their credentials to what they were at the start. */
  async function restore() {
    usher.clock.now = createdAt.getTime()
    await prisma.$transaction([
      prisma.user.deleteMany(),
      prisma.tenant.deleteMany(),
      prisma.user.createMany({
        data: users.map(({ metadata: _, privateMetadata: _private, ...user }) => user),
      }),
      prisma.session.createMany({ data: sessions.map(({ ssoProofs: _, ...session }) => session) }),
      prisma.code.createMany({ data: codes }),
      prisma.codeRequest.deleteMany(),
      prisma.loginFailures.deleteMany(),
      prisma.networkFailures.deleteMany(),
      prisma.message.deleteMany(),
    ])
  }

  /** Fails if a text or credential of a client or an internal error was logged. Clears the log. */
  function expectCleanLog() {
    const lines = usher.logged().split('\n')
    usher.forgetLog()
    expect(lines.find((line) => unwanted.test(line))).toBeUndefined()
  }

  const close = async () => {
    expectCleanLog()
    await usher.close()
  }
  return { ...usher, world, restore, expectCleanLog, close }
}

/** `it` with such a server per test. */
export const it = test.extend('usher', async ({ task: _ }, { onCleanup }) => {
  const store = await openPostgresCopy()
  const usher = await startWorld(store)
  onCleanup(() => usher.close().then(store.close))
  return usher
})
