import { expect } from 'vitest'
import { it as codesTest } from '../support/codes.js'
import { clientId, externalLogin } from '../support/external.js'
import { startOidcProvider } from '../support/oidc-provider.js'

// The certified provider of panva, which speaks the protocol as its standards say.
const it = codesTest
  .extend('provider', { scope: 'file' }, async ({ storeKind: _ }, { onCleanup }) => {
    const provider = await startOidcProvider()
    onCleanup(provider.close)
    return provider
  })
  .extend('settings', { scope: 'file' }, ({ provider, smtp }) => ({
    SMTP_URL: smtp.url,
    MAIL_FROM: 'Acme <accounts@acme.example>',
    PRIVATE_ISSUERS: provider.origin,
  }))
  .extend('external', ({ usher, app }) => externalLogin(usher, app))

it.for([
  ['client_secret_basic', 'a secret: 100% +'],
  ['client_secret_post', 'a secret: 100% +'],
  ['none', null],
] as const)(
  'logs in at oidc-provider with %s',
  async ([method, secret], { external, provider, usher, app }) => {
    const { workspaceSlug, databaseName } = app
    const callback = `/workspaces/${workspaceSlug}/databases/${databaseName}/connections/acme/callback`
    const redirectUri = usher.config.baseUrl + callback
    await external.add({ issuer: provider.origin, secret })
    provider.register({ clientId, redirectUri, method, secret })
    const { url, login } = await external.started()
    const returned = await provider.browse(url)
    expect(returned.searchParams.get('iss')).toBe(provider.origin)
    const { response, result } = await external.callback(returned)
    expect([response.statusCode, result.code?.slice(0, 36)]).toEqual([303, login])
    expect((await external.attempts())[0]?.claims).toEqual({
      issuer: provider.origin,
      subject: 'ada',
      email: 'ada@example.com',
      emailProof: 'verified',
      preferredName: 'Ada',
      locale: null,
    })
    expect((await external.callback(returned)).result.error).toBe('code_invalid')
  },
)
