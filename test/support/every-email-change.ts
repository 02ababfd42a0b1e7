import { expect, vi } from 'vitest'
import { password, type TestApi, type TestDatabase } from './app.js'
import { setDatabase } from './operator-changes.js'
import { codeIn, type Smtp } from './smtp.js'

/** Sends requests that cause the statements of each operation on addresses, and of each notice. */
export async function useEmailChange(api: TestApi, smtp: Smtp) {
  const database = await api.newDatabase()
  await setDatabase(api.store, database, { appUrl: 'https://app.example.com', noticeNewNetwork: true })
  const change = changesOf(api, smtp, database)
  const { token } = await database.signedUp({ email: 'first@example.com' })
  await database.signedUp({ email: 'taken@example.com' })
  await change.request(token.jwt, 'taken@example.com')
  await database.markVerified('first@example.com')
  const first = await change.changed(token.jwt, 'first@example.com', 'second@example.com')
  const second = await change.changed(
    await change.login('second@example.com'),
    'second@example.com',
    'third@example.com',
  )
  await mailsDelivered(api, database)
  // An address gets one mail a minute.
  api.clock.now += 61_000
  await change.changed(
    await change.login('third@example.com'),
    'third@example.com',
    'second@example.com',
    false,
  )
  await change.send(400, 'email-change/undo', { code: second })
  await change.send(200, 'email-change/undo', { code: first })
  const { refreshToken } = await database.opened({ email: 'reused@example.com' })
  for (const status of [200, 401]) {
    expect((await database.refresh(refreshToken.value)).statusCode).toBe(status)
    if (status === 200) await moveRefreshBack(api, database)
  }
  await mailsDelivered(api, database)
}

/** Mails of bystanders are due later. */
const farAway = new Date('2090-01-01')

/** Waits until no mail of a database waits to be delivered. */
export const mailsDelivered = ({ store }: TestApi, { id: databaseId }: Pick<TestDatabase, 'id'>) =>
  vi.waitFor(
    async () =>
      expect(
        await store.prisma.message.count({ where: { databaseId, kind: 'mail', dueAt: { lt: farAway } } }),
      ).toBe(0),
    10_000,
  )

/** Makes the last refreshes of a database too old to be repeated. */
const moveRefreshBack = ({ store }: TestApi, { id: databaseId }: TestDatabase) =>
  store.prisma.session.updateMany({ where: { databaseId }, data: { refreshedAt: new Date(0) } })

function changesOf(api: TestApi, smtp: Smtp, { users, login }: TestDatabase) {
  async function send(status: number, path: string, payload: object, token?: string) {
    const headers = token ? { authorization: `Bearer ${token}` } : {}
    const response = await api.send({ method: 'POST', url: `${users}/${path}`, payload, headers })
    expect([path, response.statusCode]).toEqual([path, status])
    return response
  }
  const codeTo = (address: string, page: string, before: number) =>
    vi.waitFor(() => {
      const mail = smtp.mails
        .slice(before)
        .find(({ recipients, parsed }) => recipients.includes(address) && parsed.text?.includes(`/${page}#`))
      return mail ? codeIn(mail) : expect.fail(`no mail to ${address}`)
    }, 10_000)
  const request = (token: string, email: string) => send(202, 'me/email', { email, password }, token)
  return {
    send,
    request,
    login: async (email: string): Promise<string> => (await login({ email, password })).json().token.jwt,
    /** Changes an address. Returns the code to undo that, if there is one. */
    async changed(token: string, from: string, to: string, hasUndo = true) {
      const before = smtp.mails.length
      await request(token, to)
      await send(200, 'email-change/confirm', { code: await codeTo(to, 'change-email', before) })
      return hasUndo ? codeTo(from, 'undo-email-change', before) : ''
    },
  }
}
