import { expect } from 'vitest'
import { password } from '../support/app.js'
import { outcome } from '../support/codes.js'
import { it as providerTest } from '../support/returned-login.js'
import { codeIn, type ReceivedMail } from '../support/smtp.js'

const [ada, mallory] = ['ada@example.com', 'mallory@example.com']

/** `it` with a verified user whose address a thief with the password changes. */
const it = providerTest.extend('thief', async ({ app, provider, mail, usher }) => {
  const { id, token } = await app.signedUp({ email: ada })
  await app.markVerified(ada)
  await provider.link(token.jwt, { connection: 'acme', subject: 'ada' }, { password })
  return {
    id,
    /** Changes the address. Returns the code by which the owner undoes that. */
    async changes() {
      expect((await mail.confirmChange(await mail.changeCode(token.jwt, mallory))).statusCode).toBe(200)
      const sent = (await app.delivered()).find(({ parsed }) => parsed.text?.includes('/undo-email-change#'))
      return codeIn(sent as ReceivedMail)
    },
    async links() {
      const { jwt } = (await app.login({ email: mallory, password })).json().token
      const person = { connection: 'other', subject: 'mallory', email: mallory }
      expect((await provider.link(jwt, person, { password })).statusCode).toBe(201)
    },
    undo: (code: string) =>
      usher.send({ method: 'POST', url: `${app.users}/email-change/undo`, payload: { code } }),
    /** Returns the connections of the identities that are left. */
    left: async () => (await provider.identities(id)).map(({ connection }) => connection),
  }
})

it.for([0, 29_000])(
  'an undone change removes identities that were linked since, by a server whose clock is %i ms behind',
  async (behind, { app, provider, thief, clock }) => {
    clock.now += 60_000
    const undoCode = await thief.changes()
    clock.now -= behind
    await thief.links()
    expect(await thief.left()).toEqual(['acme', 'other'])
    clock.now += behind
    expect((await thief.undo(undoCode)).statusCode).toBe(200)
    expect(await thief.left()).toEqual(['acme'])
    expect(outcome(await app.login({ email: ada, password }))).toEqual([401, 'invalid_credentials'])
    expect((await provider.logIn()).json().id).toBe(thief.id)
    const stranger = await provider.logIn({ connection: 'other', subject: 'mallory', email: mallory })
    expect(stranger.json()).toMatchObject({ isNewUser: true })
  },
)
