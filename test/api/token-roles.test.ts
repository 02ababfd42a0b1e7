import { expect } from 'vitest'
import { password } from '../support/app.js'
import { it } from '../support/tenants.js'

const claimsOf = (jwt: string) =>
  JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as {
    tenants: string[]
    tenant_roles: Record<string, string>
  }

it('each new token has the roles of its user other than member, in the order of joining', async ({
  usher,
  tenants: { database, founder, joined },
}) => {
  const { owner, id } = await founder()
  expect(claimsOf(owner.token.jwt)).toMatchObject({ tenants: [id], tenant_roles: { [id]: 'owner' } })
  const { id: ownId } = await founder()
  const user = await joined(id, 'admin')
  const joinedAt = new Date(usher.clock.now + 1000)
  await usher.store.prisma.membership.create({
    data: { databaseId: database.id, userId: user.id, tenantId: ownId, role: 'member', joinedAt },
  })
  const expected = { tenants: [id, ownId], tenant_roles: { [id]: 'admin' } }
  const signedIn = (await database.login({ email: user.email, password })).json()
  expect(signedIn.tenants).toEqual(expected.tenants)
  expect(claimsOf(signedIn.token.jwt)).toMatchObject(expected)
  const send = async (method: 'POST' | 'PUT', path: string, payload: object, jwt = '') => {
    const headers = { ...(jwt && { authorization: `Bearer ${jwt}` }) }
    const response = await usher.send({ method, url: `${database.users}/${path}`, headers, payload })
    expect(response.statusCode).toBeLessThan(300)
    return response.json()
  }
  const session = await send('POST', 'me/session', {}, signedIn.token.jwt)
  expect(claimsOf(session.token.jwt)).toMatchObject(expected)
  await usher.store.prisma.membership.updateMany({
    where: { databaseId: database.id, userId: user.id, tenantId: id },
    data: { role: 'billing' },
  })
  const refreshed = await send('POST', 'session/refresh', { refreshToken: session.refreshToken.value })
  expect(claimsOf(refreshed.token.jwt)).toMatchObject({ tenant_roles: { [id]: 'billing' } })
})
