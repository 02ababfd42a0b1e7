import { expect, vi } from 'vitest'
import { type TestApi, validUser } from './app.js'
import { setDatabase } from './operator-changes.js'
import { codeIn, type Smtp } from './smtp.js'

/** Sends requests that cause the statements of each operation on invitations, and of sign-ups with a code. */
export async function useInvitations(api: TestApi, smtp: Smtp) {
  const database = await api.newDatabase()
  await setDatabase(api.store, database, { appUrl: 'https://app.example.com' })
  const { tenants, token } = await database.signedUp({ email: 'owner@example.com', newTenant: 'Engines' })
  await database.markVerified('owner@example.com')
  const tenant = { databaseId: database.id, id: tenants[0] ?? '' }
  await api.store.prisma.tenant.updateMany({ where: tenant, data: { seats: 10 } })
  const root = database.users.replace(/users$/, '')
  const invitations = `tenants/${tenants[0]}/invitations`
  async function send(
    status: number,
    [method, path]: ['GET' | 'POST' | 'DELETE', string],
    payload?: object,
    headers: Record<string, string> = { authorization: `Bearer ${token.jwt}` },
  ) {
    const response = await api.send({ method, url: `${root}${path}`, headers, ...(payload && { payload }) })
    expect([`${method} ${path}`, response.statusCode]).toEqual([`${method} ${path}`, status])
    return status === 204 ? {} : response.json()
  }
  /** Invites an address. Returns the code in the mail. */
  async function invited(email: string, role = 'member') {
    const { length: earlier } = smtp.mails
    await send(201, ['POST', invitations], { email, role })
    const find = () => smtp.mails.slice(earlier).find(({ recipients }) => recipients.includes(email))
    const mail = await vi.waitFor(() => find() ?? expect.fail('no mail'), 10_000)
    return codeIn(mail)
  }
  const user = await database.signedUp({ email: 'invited@example.com' })
  await database.markVerified('invited@example.com')
  const asUser = { authorization: `Bearer ${user.token.jwt}` }
  const code = await invited('invited@example.com', 'owner')
  await send(200, ['POST', 'invitations/accept'], { code }, asUser)
  await send(400, ['POST', 'invitations/accept'], { code }, asUser)
  for (const [name, more] of [
    ['one', {}],
    ['two', { newTenant: 'Looms' }],
  ] as const) {
    const email = `${name}@example.com`
    const body = { ...validUser({ email, ...more }), invitationCode: await invited(email) }
    await send(201, ['POST', 'users'], body, { 'idempotency-key': name })
    await send(201, ['POST', 'users'], body, { 'idempotency-key': name })
  }
  const body = validUser({ email: 'three@example.com' })
  await send(201, ['POST', 'users'], { ...body, invitationCode: await invited(body.email) }, {})
  for (let count = 0; count < 5; count++) await invited('many@example.com')
  await send(429, ['POST', invitations], { email: 'many@example.com', role: 'member' })
  const listed = (await send(200, ['GET', invitations])).invitations
  await send(204, ['DELETE', `${invitations}/${listed[0].id}`])
}
