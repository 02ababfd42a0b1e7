import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { createClient } from '@usher/sdk'
import { expect } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { validUser } from '../support/app.js'

/** A proxy that cuts the first connection once the server has answered on it, so that the response is lost. */
const it = apiTest.extend('proxy', async ({ port }, { onCleanup }) => {
  const answersLost: string[] = []
  const proxy = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    client.pipe(server)
    if (answersLost.length === 0) {
      server.once('data', (answer) => {
        answersLost.push(answer.toString())
        client.destroy()
        server.destroy()
      })
    } else server.pipe(client)
    for (const socket of [client, server]) socket.on('error', () => undefined)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  onCleanup(() => void proxy.close())
  return { port: (proxy.address() as AddressInfo).port, answersLost }
})

it('gets the same user when the answer to a sign-up is lost after the commit', async ({
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
  expect(proxy.answersLost).toHaveLength(1)
  expect(proxy.answersLost[0]).toContain('201 Created')
  expect(proxy.answersLost[0]).toContain(data?.id)
  expect(await store.prisma.user.count({ where: { databaseId: id } })).toBe(1)
  const tenants = await store.prisma.tenant.findMany({ where: { databaseId: id } })
  expect(tenants.map((tenant) => tenant.id)).toEqual(data?.tenants)
})
