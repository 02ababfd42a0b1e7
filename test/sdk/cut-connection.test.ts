import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { createClient } from '@usher/sdk'
import { expect } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { validUser } from '../support/app.js'

/** Starts a proxy that closes the first connection when its response arrives, so that the response is lost. */
const it = apiTest.extend('proxy', async ({ port }, { onCleanup }) => {
  const lostResponses: string[] = []
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    client.pipe(server)
    if (lostResponses.length === 0) {
      server.once('data', (response) => {
        lostResponses.push(response.toString())
        client.destroy()
        server.destroy()
      })
    } else server.pipe(client)
    for (const socket of [client, server]) socket.on('error', () => undefined)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  onCleanup(() => void proxy.close())
  return { port: (proxy.address() as AddressInfo).port, lostResponses }
})

it('returns the same user when the response to a sign-up is lost after the commit', async ({
  store,
  database,
  proxy,
}) => {
  const { id, workspaceSlug, databaseName } = database
  const client = createClient({
    baseUrl: `http://127.0.0.1:${proxy.port}`,
    workspace: workspaceSlug,
    database: databaseName,
  })
  const { data, error } = await client.createUser(validUser({ newTenant: 'Once' }))
  expect(error).toBeUndefined()
  expect(proxy.lostResponses).toHaveLength(1)
  expect(proxy.lostResponses[0]).toContain('201 Created')
  expect(proxy.lostResponses[0]).toContain(data?.id)
  expect(await store.prisma.user.count({ where: { databaseId: id } })).toBe(1)
  const tenants = await store.prisma.tenant.findMany({ where: { databaseId: id } })
  expect(tenants.map((tenant) => tenant.id)).toEqual(data?.tenants)
})
