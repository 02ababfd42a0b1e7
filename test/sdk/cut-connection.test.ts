import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { createClient } from '@usher/sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi, type TestApi, validUser } from '../support/app.js'

let usher: TestApi
/** A proxy that cuts the first connection once the server has answered on it: the answer is lost. */
const answersLost: string[] = []
const proxy = createServer((client) => {
  const server = connect((usher.app.server.address() as AddressInfo).port, '127.0.0.1')
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

beforeAll(async () => {
  usher = await startApi()
  await usher.app.listen({ host: '127.0.0.1', port: 0 })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
})
afterAll(async () => {
  proxy.close()
  await usher.close()
})

it('gets the same user when the answer to a sign-up is lost after the commit', async () => {
  const { id, workspaceSlug, databaseName } = usher.database
  const { port } = proxy.address() as AddressInfo
  const client = createClient({
    baseUrl: `http://127.0.0.1:${port}`,
    workspace: workspaceSlug,
    database: databaseName,
  })
  const { data, error } = await client.createUser(validUser({ newTenant: 'Once' }))
  expect(error).toBeUndefined()
  expect(answersLost).toHaveLength(1)
  expect(answersLost[0]).toContain('201 Created')
  expect(answersLost[0]).toContain(data?.id)
  expect(await usher.store.prisma.user.count({ where: { databaseId: id } })).toBe(1)
  const tenants = await usher.store.prisma.tenant.findMany({ where: { databaseId: id } })
  expect(tenants.map((tenant) => tenant.id)).toEqual(data?.tenants)
})
