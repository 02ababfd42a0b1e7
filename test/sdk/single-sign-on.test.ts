import { createExternalLogin } from '@usher/sdk/external'
import { createSessionClient } from '@usher/sdk/session'
import { type StartOptions, startUsher } from '@usher/server/testing'
import { it as apiTest, expect } from 'vitest'
import { password } from '../support/app.js'
import { memoryStore } from './stub-fetch.js'

const it = apiTest
  .extend('options', { scope: 'file' }, { singleSignOn: true, tokenMaxAgeSeconds: 60 } as StartOptions)
  .extend('usher', { scope: 'file' }, async ({ options }, { onCleanup }) => {
    const usher = await startUsher(options)
    onCleanup(usher.stop)
    return usher
  })
  .extend('provider', { scope: 'file' }, ({ usher }) =>
    usher.addProvider({ connection: 'idp', people: [{ name: 'Ada', email: 'ada@example.com' }] }),
  )
  /** Returns a page of a browser with a client. */
  .extend('openPage', ({ usher, provider }) => () => {
    const client = createSessionClient({ ...usher, retries: 0, sessionStore: memoryStore().store })
    let opened = ''
    const open = (url: string) => {
      opened = url
    }
    const external = createExternalLogin(client, { store: memoryStore().store, open })
    /** Starts a login with a connection, and lets Ada return. Returns the link. */
    const logIn = async (connection: string) => {
      expect((await external.start({ connection, loginHint: 'ada@example.com' })).error).toBeUndefined()
      return provider.logIn(opened, 'Ada')
    }
    return { client, external, logIn }
  })

it('sets up a tenant, opens it for the session of the owner, and logs in to it alone', async ({
  usher,
  provider,
  openPage,
}) => {
  const { client, external, logIn } = openPage()
  const owner = { email: 'owner@example.com', password, newTenant: 'Engines' }
  const [tenantId = ''] = (await client.createUser(owner)).data?.tenants ?? []
  const body = { issuer: provider.issuer, clientId: 'usher', secret: 'secret' }
  expect((await client.addSsoConnection(tenantId, body)).error?.code).toBe('step_up_required')
  const confirmation = (await client.stepUp({ password })).data?.confirmation.value
  const { id = '' } = (await client.addSsoConnection(tenantId, body, { confirmation })).data ?? {}
  usher.advanceSeconds(1)
  expect((await external.proveTenant(await logIn(id)))?.data?.tenants).toEqual([tenantId])
  const sso = await client.sso(tenantId)
  expect(sso.data?.connections[0]?.testedAt).not.toBeNull()
  expect(await external.proveTenant()).toBeUndefined()
  const added = await client.addSsoDomain(tenantId, { domain: 'acme.example' }, { confirmation })
  expect(added.data?.state).toBe('pending')
  await client.removeSsoDomain(tenantId, 'acme.example', { confirmation })
  expect((await client.sso(tenantId)).data?.domains).toEqual([])

  const page = openPage()
  expect((await page.external.finish(await page.logIn(id)))?.data?.isNewUser).toBe(false)
  const { token } = page.client
  expect((await page.client.me()).data?.memberships.map((each) => each.id)).toEqual([tenantId])
  expect((await page.client.listSessions()).error?.code).toBe('own_login_required')
  expect(page.client.token).toBe(token)
  usher.advanceSeconds(61)
  expect((await page.client.me()).data?.email).toBe('ada@example.com')
  expect(page.client.token).not.toBe(token)
  expect((await page.client.updateMe({ preferredName: 'Ada' })).error?.code).toBe('own_login_required')
  expect(page.client.state).toBe('signedIn')
})

it('sends a token of a call instead of that of the client, which stays if it is refused', async ({
  openPage,
}) => {
  const { client } = openPage()
  await client.createUser({ email: 'user@example.com', password, newTenant: 'Looms' })
  const { token } = client
  const [tenantId = ''] = (await client.me()).data?.tenants ?? []
  const refused = await client.sso(tenantId, { token: 'usso_0_0' })
  expect(refused.error?.code).toBe('token_invalid')
  expect(client.token).toBe(token)
  expect((await client.sso(tenantId)).data?.required).toBe(false)
})
