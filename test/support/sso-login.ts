import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import type { Prisma } from '../../server/store/generated/client.js'
import { setDatabase } from './operator-changes.js'
import { it as returnedTest } from './returned-login.js'

/** What a provider of a tenant says about a person. */
interface Person {
  subject?: string
  email?: string | null
  amr?: string[]
}

/** `it` with a database whose tenants have single sign-on, and providers that are never asked. */
export const it = returnedTest.extend('sso', async ({ app, usher, provider }) => {
  const { prisma } = usher.store
  const databaseId = app.id
  await setDatabase(usher.store, app, { singleSignOn: true })
  usher.clock.cacheAhead += 6_000

  /** Adds a tenant with a provider and a proven domain. */
  async function tenant(domain = 'acme.example', settings: Partial<Prisma.TenantUncheckedCreateInput> = {}) {
    const [id, connectionId] = [randomUUID(), randomUUID()]
    const issuer = `https://idp.${domain}`
    const createdAt = new Date(usher.clock.now)
    await prisma.tenant.createMany({ data: { databaseId, id, name: domain, createdAt, ...settings } })
    const connection = {
      databaseId,
      id: connectionId,
      tenantId: id,
      preset: 'oidc',
      issuer,
      clientId: 'app',
      createdAt,
    }
    await prisma.tenantConnection.createMany({ data: connection })
    const proven = { token: '0', state: 'proven', createdAt, provenAt: createdAt, checkedAt: createdAt }
    await prisma.tenantDomain.createMany({ data: { databaseId, tenantId: id, domain, ...proven } })
    const member = { databaseId, tenantId: id }
    const returned = ({ subject = 'ada', email = `ada@${domain}`, ...more }: Person = {}) =>
      provider.returned({ connection: connectionId, issuer, subject, email, emailProof: null, ...more })
    return {
      id,
      connectionId,
      issuer,
      /** Returns what the app has after the provider has returned. */
      returned,
      /** Returns from the provider, and finishes the login. */
      logIn: async (person?: Person, body: object = {}) =>
        provider.finish({ ...(await returned(person)), ...body }),
      /** Returns from the provider, and adds the tenant to the session of a token. */
      prove: async (jwt: string, person?: Person) =>
        app.as(jwt, 'POST', 'me/tenant-proofs', await returned(person)),
      set: (data: Prisma.TenantUncheckedUpdateManyInput) =>
        prisma.tenant.updateMany({ where: { databaseId, id }, data }),
      add: (userId: string, role = 'member', more: object = {}) =>
        prisma.membership.createMany({ data: { ...member, userId, role, joinedAt: createdAt, ...more } }),
      remove: (userId: string) => prisma.membership.deleteMany({ where: { ...member, userId } }),
      entries: () => prisma.tenantEntry.findMany({ where: member }),
      members: () => prisma.membership.findMany({ where: member }),
    }
  }
  return {
    tenant,
    /** Sends a request with a token to a path of the database. */
    as: (jwt: string, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, payload?: object) =>
      usher.send({
        method,
        url: app.users.replace(/users$/, path),
        headers: { authorization: `Bearer ${jwt}` },
        ...(payload && { payload }),
      }),
    /** Signs up a user whose address is verified. */
    async verified(email: string) {
      const user = await app.signedUp({ email })
      await prisma.user.updateMany({
        where: { databaseId, id: user.id },
        data: { emailVerifiedAt: new Date(usher.clock.now) },
      })
      return user
    },
  }
})

/** Returns the claims of a token that say what it opens. */
export function opened(jwt: string) {
  const { sub, account, tenants, sso, acr, tenant_roles: roles } = decodeJwt(jwt)
  return { sub, account, tenants, sso, acr, roles }
}
