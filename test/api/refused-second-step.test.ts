import { expect } from 'vitest'
import { password, validUser } from '../support/app.js'
import { elsewhere, newPassword } from '../support/codes.js'
import { newVerifier } from '../support/login-mail.js'
import { disableUser, enableUser, revokeTokens, setDatabase } from '../support/operator-changes.js'
import { it as providerTest, signTokens } from '../support/returned-login.js'
import { totpAt } from '../support/second-factor.js'
import { codeIn, type ReceivedMail } from '../support/smtp.js'

const stepMilliseconds = 30_000
type Proof = { totp?: string; recoveryCode?: string }
type Finish = (
  proof: Proof,
  more?: object,
  from?: string,
) => Promise<{ statusCode: number; body: string; json(): { code?: string } }>
/** Why a right second step is refused. */
interface Reason {
  /** What differs in the request. */
  more?: object
  /** Address of the client. */
  from?: string
  /** Lets the user log in again. */
  lift?: () => Promise<unknown>
}

const it = providerTest.extend('person', async ({ app, usher, mail, provider, clock }) => {
  await setDatabase(usher.store, app, { networkFailuresPerHour: 10 })
  const { email } = validUser()
  const { id, token } = await app.signedUp({ email })
  await app.markVerified(email)
  const subject = `linked-${id}`
  const linked = await provider.link(token.jwt, { subject, email }, { password })
  expect(linked.statusCode).toBe(201)
  const { challenge, secret } = (await app.as(token.jwt, 'POST', 'me/factors/totp', { password })).json()
  const added = await app.as(token.jwt, 'POST', 'me/factors/totp/confirm', {
    challenge,
    totp: totpAt(secret, clock.now),
  })
  const [recoveryCode] = added.json().recoveryCodes
  const signToken = await signTokens(usher)

  const send = (path: string, payload: object, remoteAddress = elsewhere()) =>
    usher.send({ method: 'POST', url: `${app.users}/${path}`, payload, remoteAddress })
  /** Each way to log in, up to the second step. */
  const ways = {
    async password(): Promise<Finish> {
      const { challenge } = (await app.login({ email, password })).json().secondFactor
      return (proof, more, from) => send('login/second-factor', { challenge, ...proof, ...more }, from)
    },
    async code(): Promise<Finish> {
      const { code, verifier } = await mail.start(email)
      return (proof, more, from) => mail.finish({ code, verifier, secondFactor: proof, ...more }, from)
    },
    async digits(): Promise<Finish> {
      const { login, digits, verifier } = await mail.start(email)
      return (proof, more, from) =>
        mail.finish({ login, digits, verifier, secondFactor: proof, ...more }, from)
    },
    async identity(): Promise<Finish> {
      const returned = await provider.returned({ subject, email })
      return (proof, more, from) => mail.finish({ ...returned, secondFactor: proof, ...more }, from)
    },
    async address(): Promise<Finish> {
      const returned = await provider.returned({ subject: `other-${id}`, email, connection: 'other' })
      return (proof, more, from) => mail.finish({ ...returned, secondFactor: proof, ...more }, from)
    },
    async idToken(): Promise<Finish> {
      const { verifier, challenge } = newVerifier()
      const { state, nonce } = (await send('login/start', { connection: 'acme', challenge })).json()
      const idToken = await signToken({ sub: subject, nonce, email })
      return (proof, more, from) =>
        send('login/id-token', { state, idToken, verifier, secondFactor: proof, ...more }, from)
    },
    async reset(): Promise<Finish> {
      const code = await app.resetCode(email)
      return (proof, more, from) =>
        send('password-reset/confirm', { code, newPassword, secondFactor: proof, ...more }, from)
    },
  }
  const operation = () => ({ store: usher.store, now: new Date(clock.now) })
  const { prisma } = usher.store

  /** Why a second step may be refused although it is right. Each returns how the request differs, and lifts the reason. */
  const reasons = {
    async 'the user is disabled'() {
      await disableUser(operation(), app, id)
      return { lift: () => enableUser(operation(), app, id) }
    },
    async 'the tokens of the user were revoked'() {
      await revokeTokens(operation(), app, id)
      return {}
    },
    async 'the connection was removed'() {
      const { count } = await prisma.connection.deleteMany({ where: { databaseId: app.id } })
      expect(count).toBe(2)
      clock.cacheAhead += 600_000
      return { lift: () => Promise.all([provider.connect('acme'), provider.connect('other')]) }
    },
    async 'no connection links by address'() {
      await provider.connect('other', { linkByEmail: false })
      return { lift: () => provider.connect('other') }
    },
    'the network has no allowance left': async () => ({
      from: await usedUpNetwork(),
    }),
    'the code of the first step is wrong': async () => ({
      more: { code: 'wrong', challenge: 'wrong', digits: '000000', state: 'wrong' },
    }),
    'the verifier is that of another client': async () => ({ more: { verifier: newVerifier().verifier } }),
    'the invitation is not valid': async () => ({ more: { invitationCode: 'wrong' } }),
    'the tenant is full': async () => {
      const { invitationCode, tenantId } = await invite(email)
      const where = { databaseId: app.id, id: tenantId }
      await prisma.tenant.updateMany({ where, data: { seats: 1 } })
      return { more: { invitationCode } }
    },
    'the invitation is for another address': async () => {
      const { invitationCode } = await invite(validUser().email)
      return { more: { invitationCode } }
    },
    'the new password is refused': async () => ({ more: { newPassword: 'short' } }),
  } satisfies Record<string, () => Promise<Reason>>
  return { secret, recoveryCode: String(recoveryCode), ways, reasons }

  async function usedUpNetwork() {
    const from = elsewhere()
    for (let count = 0; count < 10; count++)
      await usher.send({
        method: 'POST',
        url: `${app.users}/login`,
        payload: { email: `nobody-${count}@example.com`, password: 'wrong password' },
        remoteAddress: from,
      })
    return from
  }
  async function invite(address: string) {
    const owner = validUser({ newTenant: 'Engines' })
    const signedUp = await app.signedUp(owner)
    await app.markVerified(owner.email)
    const tenantId = signedUp.tenants[0] ?? ''
    const invited = await usher.send({
      method: 'POST',
      url: `${app.users.replace(/users$/, 'tenants')}/${tenantId}/invitations`,
      headers: { authorization: `Bearer ${signedUp.token.jwt}` },
      payload: { email: address, role: 'member' },
    })
    expect(invited.statusCode).toBe(201)
    const mails = await app.delivered()
    const sent = mails.findLast(({ recipients }) => recipients.includes(address))
    return { tenantId, invitationCode: codeIn(sent as ReceivedMail) }
  }
})

type Way = 'password' | 'code' | 'digits' | 'identity' | 'address' | 'idToken' | 'reset'
const byMail = ['code', 'digits'] as const
const byProvider = ['identity', 'address', 'idToken'] as const
const withFields = [...byMail, ...byProvider]
const every = ['password', ...withFields, 'reset'] as const

/** What each reason refuses. */
const refused: Record<string, readonly Way[]> = {
  'the connection was removed': byProvider,
  'no connection links by address': ['address'],
  'the network has no allowance left': every,
  'the code of the first step is wrong': every,
  'the verifier is that of another client': withFields,
  'the invitation is not valid': withFields,
  'the tenant is full': withFields,
  'the invitation is for another address': withFields,
  'the new password is refused': ['reset'],
  'the user is disabled': every,
  'the tokens of the user were revoked': ['password', ...byMail],
}
/** Those that end the first step are the last. */
const reasonsOf = (way: Way) => Object.keys(refused).filter((reason) => refused[reason]?.includes(way))

it.for(every)(
  'a right second step that is refused for another reason can be used again by %s',
  async (way, { person, clock }) => {
    const { secret, recoveryCode, ways, reasons } = person
    // At the start of a step, so that the code of the next one stays valid for a minute.
    clock.now = Math.ceil(clock.now / stepMilliseconds + 1) * stepMilliseconds
    const proofs = { totp: totpAt(secret, clock.now + stepMilliseconds), recoveryCode }
    const finish = await ways[way]()
    for (const reason of reasonsOf(way)) {
      const { more, from, lift }: Reason = await reasons[reason as keyof typeof reasons]()
      for (const [method, proof] of Object.entries(proofs)) {
        const response = await finish({ [method]: proof }, more, from)
        const { code } = response.json()
        expect([response.statusCode >= 400, code], reason).toEqual([
          true,
          expect.not.stringMatching('second_factor'),
        ])
      }
      await lift?.()
    }
    // An address gets one mail a minute.
    clock.now += 60_000
    expect((await (await ways[way]())({ totp: proofs.totp })).statusCode).toBe(200)
    clock.now += 60_000
    expect((await (await ways[way]())({ recoveryCode })).statusCode).toBe(200)
  },
)

it('knows each reason', async ({ person }) => {
  expect(Object.keys(person.reasons).sort()).toEqual(Object.keys(refused).sort())
})
