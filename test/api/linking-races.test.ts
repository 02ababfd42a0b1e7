import { expect } from 'vitest'
import { password } from '../support/app.js'
import { setDatabase } from '../support/operator-changes.js'
import { it as providerTest } from '../support/returned-login.js'

// On the embedded store, transactions run one after the other, and these tests show only that each order is right. On
// Postgres they run at the same time.

const statusOf = ({ statusCode }: { statusCode: number }) => statusCode
const rounds = [1, 2, 3]

const it = providerTest.extend('rows', ({ usher, app }) => ({
  identities: (subject: string) =>
    usher.store.prisma.identity.findMany({ where: { databaseId: app.id, subject } }),
  users: (email: string) =>
    usher.store.prisma.user.findMany({ where: { databaseId: app.id, canonicalEmail: email } }),
}))

it('first logins of a person at the same time sign up once, and each result opens one session', async ({
  app,
  provider,
  rows,
}) => {
  for (const round of rounds) {
    const person = { subject: `ada-${round}`, email: `ada-${round}@example.com` }
    const results = await Promise.all([1, 2, 3].map(() => provider.returned(person)))
    // The last result is finished twice.
    const finished = await Promise.all(
      [...results, results[2]].map((result) => provider.finish(result ?? {})),
    )
    expect(finished.map(statusOf)).toEqual([200, 200, 200, 200])
    const users = finished.map((response) => response.json())
    expect(new Set(users.map(({ id }) => id)).size).toBe(1)
    const [identity, ...others] = await rows.identities(person.subject)
    expect([identity?.userId, others]).toEqual([users[0].id, []])
    const sessions = await Promise.all(users.map(({ token }) => app.openSession(token.jwt)))
    expect(sessions.map(statusOf).sort()).toEqual([201, 201, 201, 409])
  }
})

it('two persons with one address: one has the account, and the other one gets nothing', async ({
  provider,
  rows,
}) => {
  for (const round of rounds) {
    const email = `ada-${round}@example.com`
    const subjects = [`one-${round}`, `other-${round}`]
    const finished = await Promise.all(subjects.map((subject) => provider.logIn({ subject, email })))
    expect(finished.map(statusOf).sort()).toEqual([200, 409])
    const identities = (await Promise.all(subjects.map(rows.identities))).flat()
    const users = await rows.users(email)
    expect(identities.map(({ userId }) => userId)).toEqual(users.map(({ id }) => id))
    expect(users).toHaveLength(1)
  }
})

it('a sign-up with a password at the same time as a first login keeps nothing', async ({ app, provider }) => {
  for (const round of rounds) {
    const email = `ada-${round}@example.com`
    const [finished, signedUp] = await Promise.all([
      provider.logIn({ subject: email, email }),
      app.createUser({ email, password }),
    ])
    expect(finished.statusCode).toBe(200)
    expect([201, 409]).toContain(signedUp.statusCode)
    if (signedUp.statusCode === 201) expect((await app.me(signedUp.json().token.jwt)).statusCode).toBe(401)
    expect((await app.login({ email, password })).statusCode).toBe(401)
    expect((await app.me(finished.json().token.jwt)).statusCode).toBe(200)
  }
})

it('two users who link one identity at the same time: one has it', async ({ app, provider, rows }) => {
  for (const round of rounds) {
    const subject = `shared-${round}`
    const users = await Promise.all([1, 2].map(() => app.signedUp()))
    const linked = await Promise.all(
      users.map(({ token }) => provider.link(token.jwt, { subject }, { password })),
    )
    expect(linked.map(statusOf).sort()).toEqual([201, 409])
    expect(await rows.identities(subject)).toHaveLength(1)
  }
})

it('two removals at the same time leave a user without a password one way to log in', async ({
  app,
  usher,
  provider,
}) => {
  await setDatabase(usher.store, app, { loginMail: 'off' })
  usher.clock.cacheAhead += 6_000
  for (const round of rounds) {
    const subject = `ada-${round}`
    const { id, token } = (await provider.logIn({ subject, email: `${subject}@example.com` })).json()
    const second = await provider.link(token.jwt, { subject, connection: 'other' })
    expect(second.statusCode).toBe(201)
    const removals = await Promise.all(
      (await provider.identities(id)).map((identity) =>
        app.as(token.jwt, 'POST', `me/identities/${identity.id}/removal`, {}),
      ),
    )
    // The first one revokes the token of the second one.
    expect(removals.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    expect(await provider.identities(id)).toHaveLength(1)
  }
})

it('a deletion, a reset, a log-out everywhere and a change of the address at the same time as a link, in every order', async ({
  app,
  provider,
  rows,
  mail,
  usher,
}) => {
  type End = () => Promise<{ statusCode: number }>
  const ends: Record<string, (user: { email: string; jwt: string }) => Promise<End>> = {
    async reset({ email }) {
      await app.delivered()
      const code = await app.resetCode(email)
      return () => app.reset(code)
    },
    logout:
      async ({ jwt }) =>
      () =>
        app.as(jwt, 'DELETE', 'me/sessions'),
    async change({ email, jwt }) {
      const code = await mail.changeCode(jwt, `new-${email}`)
      return () => mail.confirmChange(code)
    },
    deletion:
      async ({ jwt }) =>
      () =>
        app.as(jwt, 'POST', 'me/deletion', { password }),
  }
  for (const [name, prepare] of Object.entries(ends))
    for (const round of ['login', 'login-again', 'link', 'link-again']) {
      const email = `${name}-${round}@example.com`
      const { id, token } = await app.signedUp({ email })
      await app.markVerified(email)
      const end = await prepare({ email, jwt: token.jwt })
      const person = { subject: email, email }
      const linking = round.startsWith('link')
        ? provider.link(token.jwt, person, { password })
        : provider.logIn(person)
      const [{ statusCode }, linked] = await Promise.all([end(), linking])
      expect(statusCode, `${name} ${round}`).toBeLessThan(300)
      expect(linked.statusCode, `${name} ${round} ${linked.body}`).toBeLessThan(500)
      // An identity belongs to a user who exists: the linked one, or one who has signed up after the end.
      for (const { userId } of await rows.identities(email)) {
        const key = { databaseId_id: { databaseId: app.id, id: userId } }
        expect(await usher.store.prisma.user.findUnique({ where: key }), name).not.toBeNull()
        if (name !== 'deletion' && name !== 'change') expect(userId).toBe(id)
      }
      expect((await app.me(token.jwt)).statusCode, name).toBe(401)
    }
})
