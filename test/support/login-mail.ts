import { createHash, randomBytes } from 'node:crypto'
import { expect, vi } from 'vitest'
import { signedText } from '../../server/domain/keys/signed-text.js'
import { digitsOf } from '../../server/domain/login/mail.js'
import { password, type TestApi } from './app.js'
import { it as codesTest, elsewhere } from './codes.js'
import { setDatabase } from './operator-changes.js'
import { codeIn } from './smtp.js'

/** Returns a verifier and its challenge, as a client makes them. */
export function newVerifier() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Returns what the mail of a login has, without the mail. */
export async function mailOf(
  { context }: TestApi,
  databaseId: string,
  { login: id, email: canonicalEmail }: { login: string; email: string },
) {
  const secrets = await context.findSecrets(databaseId)
  return {
    code: signedText(secrets, { purpose: 'login_code', id, canonicalEmail }),
    digits: digitsOf(secrets.sign('login_digits', id, canonicalEmail)),
  }
}

/** `it` with a database whose users can log in by mail. */
export const it = codesTest.extend('mail', async ({ app, usher }) => {
  await setDatabase(usher.store, app, { loginMail: 'both' })
  usher.clock.cacheAhead += 6_000
  const post = (path: string, payload: object, remoteAddress = elsewhere()) =>
    usher.send({ method: 'POST', url: `${app.users}/login/${path}`, payload, remoteAddress })
  const request = (email: string, challenge = newVerifier().challenge, from?: string) =>
    post('code', { email, challenge }, from)
  const finish = (body: object, from?: string) => post('finish', body, from)
  return {
    request,
    finish,
    /** Starts a login. Returns what its browser and its mailbox have. */
    async start(email: string) {
      const { verifier, challenge } = newVerifier()
      const { login } = (await request(email, challenge)).json()
      return { login: String(login), verifier, email, ...(await mailOf(usher, app.id, { login, email })) }
    },
    /** Requests a change of the address. Returns the code in the mail to the new one. */
    async changeCode(jwt: string, email: string, more: object = {}) {
      const body = { email, password, ...more }
      expect((await app.as(jwt, 'POST', 'me/email', body)).statusCode).toBe(202)
      // Another server may still be delivering it.
      return vi.waitFor(async () => {
        const sent = (await app.delivered()).find(({ recipients }) => recipients[0] === email)
        return codeIn(sent ?? expect.fail(`no mail to ${email}`))
      }, 10_000)
    },
    confirmChange: (code: string) =>
      usher.send({ method: 'POST', url: `${app.users}/email-change/confirm`, payload: { code } }),
    /** Lets time pass since a login was finished, which the clock of the store measures. */
    async passTimeSinceFinish(id: string, milliseconds: number) {
      const where = { databaseId_id: { databaseId: app.id, id } }
      const { expiresAt } = await usher.store.prisma.loginAttempt.findUniqueOrThrow({ where })
      const data = { expiresAt: new Date(expiresAt.getTime() - milliseconds) }
      await usher.store.prisma.loginAttempt.update({ where, data })
    },
    attempts: () => usher.store.prisma.loginAttempt.findMany({ where: { databaseId: app.id } }),
    user: (id: string) =>
      usher.store.prisma.user.findUniqueOrThrow({ where: { databaseId_id: { databaseId: app.id, id } } }),
  }
})
