import { expect } from 'vitest'
import { appUrl } from '../support/codes.js'
import { it } from '../support/external.js'

it('leads the browser back to the app with a code, and stores what the provider has said', async ({
  external,
  provider,
}) => {
  const { url, login } = await external.started()
  const { response, target, result } = await external.callback(provider.authorize(url))
  expect([response.statusCode, target]).toEqual([303, `${appUrl}/login`])
  expect(result.code).toMatch(new RegExp(`^${login}\\.`))
  expect(response.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  expect(await external.attempts()).toMatchObject([
    {
      id: login,
      kind: 'external',
      connection: 'acme',
      email: 'ada@example.com',
      canonicalEmail: 'ada@example.com',
      claims: {
        issuer: provider.issuer,
        subject: 'ada',
        email: 'ada@example.com',
        emailProof: 'verified',
        preferredName: 'Ada',
        locale: null,
      },
    },
  ])
})
