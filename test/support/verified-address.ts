import { createManagementClient } from '@usher/sdk/management'
import type { TestDatabase, TestServer } from '@usher/server/testing'
import { expect } from 'vitest'

/** Marks the address of a user of a test server as verified, which adding a second factor needs. */
export async function verifyAddress(
  server: TestServer,
  email: string,
  { baseUrl, workspace, database }: TestDatabase = server,
) {
  const apiKey = await server.createApiKey({ workspace, database })
  const management = createManagementClient({
    ...{ baseUrl, workspace, database, apiKey },
    // The first request of a server may take longer on a busy machine.
    timeoutMs: 60_000,
  })
  const { data, error } = await management.listUsers({ email })
  expect(error).toBeUndefined()
  const changed = await management.changeUser(data?.users[0]?.id ?? '', { emailVerified: true })
  expect(changed.error).toBeUndefined()
}
