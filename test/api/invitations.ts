import type { SignedInUser } from '@usher/contract'
import { expect } from 'vitest'
import type { TestApi, TestDatabase } from '../support/app.js'
import { it as codesTest, outcome } from '../support/codes.js'
import { codeIn, type ReceivedMail } from '../support/smtp.js'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

type MailingDatabase = TestDatabase & { delivered(): Promise<ReceivedMail[]> }

/** `it` with a tenant of Ada, its owner, in a database that sends mails. */
export const it = codesTest.extend('tenant', ({ usher, app }) => createTenant(usher, app))

export type InvitingTenant = Awaited<ReturnType<typeof createTenant>>

async function createTenant(usher: TestApi, app: MailingDatabase) {
  const { prisma } = usher.store
  /** Signs up a user whose address is verified. */
  async function verified(email: string, more: object = {}) {
    const user = await app.signedUp({ email, ...more })
    await app.markVerified(email)
    return user
  }
  const ada = await verified('ada@example.com', { preferredName: 'Ada', newTenant: 'Engines' })
  const id = ada.tenants[0] ?? ''
  const send = (token: string, method: Method, path: string, payload?: object, of: TestDatabase = app) =>
    usher.send({
      method,
      url: `${of.users.replace(/users$/, '')}${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(payload && { payload }),
    })
  const invite = (email: string, role = 'member', by: SignedInUser = ada) =>
    send(by.token.jwt, 'POST', `tenants/${id}/invitations`, { email, role })
  /** Returns the mails that an address has got. */
  async function mailsTo(email: string): Promise<ReceivedMail[]> {
    return (await app.delivered()).filter(({ recipients }) => recipients.includes(email))
  }
  const codeTo = async (email: string) => codeIn((await mailsTo(email)).at(-1) as ReceivedMail)
  const accept = (code: string, { token }: SignedInUser) =>
    send(token.jwt, 'POST', 'invitations/accept', { code })
  const read = (code: string, of: TestDatabase = app) =>
    usher.send({ method: 'POST', url: of.users.replace(/users$/, 'invitations/read'), payload: { code } })
  /** Invites an address. Returns the code in the mail. */
  async function invited(email: string, role = 'member', by: SignedInUser = ada) {
    const response = await invite(email, role, by)
    expect([response.statusCode, response.json().code]).toEqual([201, undefined])
    return codeTo(email)
  }
  return {
    id,
    ada,
    send,
    invite,
    mailsTo,
    accept,
    read,
    verified,
    invited,
    /** Adds a member with a verified address, who accepts an invitation of Ada. */
    async joined(email: string, role = 'member') {
      const user = await verified(email)
      const code = await invited(email, role)
      expect(outcome(await accept(code, user))).toEqual([200, undefined])
      return user
    },
    /** Signs a user up with a code. */
    signUp: (
      email: string,
      invitationCode: string,
      more: object = {},
      headers: Record<string, string> = {},
    ) =>
      usher.send({
        method: 'POST',
        url: app.users,
        payload: { email, password: 'correct horse battery', invitationCode, ...more },
        headers,
      }),
    setRole: (userId: string, role: string) =>
      prisma.membership.updateMany({ where: { databaseId: app.id, tenantId: id, userId }, data: { role } }),
    remove: (userId: string) =>
      prisma.membership.deleteMany({ where: { databaseId: app.id, tenantId: id, userId } }),
    setSeats: (seats: number | null) =>
      prisma.tenant.updateMany({ where: { databaseId: app.id, id }, data: { seats } }),
    pending: () => prisma.invitation.findMany({ where: { databaseId: app.id, tenantId: id } }),
    async roles() {
      const rows = await prisma.membership.findMany({ where: { databaseId: app.id, tenantId: id } })
      return new Map(rows.map(({ userId, role }) => [userId, role]))
    },
  }
}

/** Returns the rows of 100 invitations, as many as a tenant may have. They are valid for an hour. */
export const hundredInvitations = (tenant: { databaseId: string; tenantId: string }, createdAt: Date) =>
  Array.from({ length: 100 }, (_, index) => ({
    ...tenant,
    id: crypto.randomUUID(),
    email: `user-${index}@example.com`,
    canonicalEmail: `user-${index}@example.com`,
    role: 'member',
    codeId: crypto.randomUUID(),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + 3_600_000),
  }))
