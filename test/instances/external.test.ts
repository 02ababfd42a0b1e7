import { expect } from 'vitest'
import { it } from '../support/external.js'

it('lets a login return to a server that has not started it, and to only one of several at the same time', async ({
  external,
  provider,
}) => {
  for (let time = 0; time < 5; time++) {
    const { url, login } = await external.started()
    const callback = provider.authorize(url)
    const returned = await Promise.all(Array.from({ length: 4 }, () => external.callback(callback)))
    const results = returned.map(({ result }) => result)
    expect(results.filter(({ code }) => code?.startsWith(login))).toHaveLength(1)
    expect(results.filter(({ error }) => error === 'code_invalid')).toHaveLength(3)
  }
  expect(provider.exchanges).toHaveLength(5)
})
