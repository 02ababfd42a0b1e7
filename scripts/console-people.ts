import { createSessionClient } from '../sdk/session.js'
import { type ConsoleServer, operatorPassword as password } from '../test/support/console-server.js'

const people = [
  ['Ada Lovelace', 'ada'],
  ['Grace Hopper', 'grace'],
  ['Alan Turing', 'alan'],
  ['Joan Clarke', 'joan'],
  ['Margaret Hamilton', 'margaret'],
  ['Edsger Dijkstra', 'edsger'],
  ['Barbara Liskov', 'barbara'],
  ['Tony Hoare', 'tony'],
  ['Katherine Johnson', 'katherine'],
  ['نادية السيد', 'nadia'],
  ['Donald Knuth', 'donald'],
  ['Hedy Lamarr', 'hedy'],
] as const

/** Adds people, customers and invitations, and returns the paths of the first ones. */
export async function addPeople(server: ConsoleServer) {
  const names = ['Analytical Engines', 'Compilers & Co.', 'Bletchley Ltd.', 'Apollo Software']
  const tenants = await Promise.all(
    names.map((name, index) =>
      server.manage('POST', '/tenants', {
        name,
        externalId: `account-${101 + index}`,
        ...(index && { seats: 25 * index }),
      }),
    ),
  )
  const lines = people.map(([preferredName, name], index) => ({
    email: `${name}@example.com`,
    preferredName,
    externalId: `customer-${17 + index}`,
    emailVerifiedAt: index % 4 === 3 ? null : new Date(Date.now() - index * 80_000_000).toISOString(),
    disabledAt: index === 5 ? new Date().toISOString() : null,
    createdAt: new Date(Date.now() - (14 - index) * 86_400_000).toISOString(),
    metadata: { plan: index % 3 ? 'free' : 'pro' },
    tenants: [{ id: tenants[index % 4].id, name: names[index % 4], role: index < 4 ? 'owner' : 'member' }],
  }))
  // The first one has a password and sessions, and is a member of two tenants.
  const [first] = lines
  const { email, preferredName, externalId, metadata } = { ...first }
  const added = await server.manage('POST', '/users', {
    ...{ email, preferredName, externalId, metadata, password, emailVerified: true },
    tenants: [{ id: tenants[0].id, role: 'owner' }, { id: tenants[1].id }],
  })
  await server.manage(
    'POST',
    '/users/import',
    lines
      .slice(1)
      .map((line) => JSON.stringify(line))
      .join('\n'),
  )
  for (const label of ['Firefox on Linux', 'Phone']) {
    const client = createSessionClient({ ...server.app, label })
    await client.login({ email: String(email), password })
  }
  for (const [email, role] of [
    ['radia@example.com', 'admin'],
    ['frances@example.com', 'member'],
  ])
    await server.manage('POST', `/tenants/${tenants[0].id}/invitations`, { email, role })
  return { user: `users/${added.id}`, tenant: `tenants/${tenants[0].id}` }
}
