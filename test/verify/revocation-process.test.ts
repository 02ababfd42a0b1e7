import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { start } from '../support/app.js'
import { startChild } from '../support/child.js'
import { signToken } from './fake-feed.js'
import { it as feedTest } from './fake-feed-test.js'

const it = feedTest
  /** Address of a server with the responses of the fake feed. `/waits` responds once a request of the feed waits. */
  .extend('origin', async ({ feed }, { onCleanup }) => {
    const server = createServer(async ({ url = '' }, response) => {
      if (url === '/waits') {
        await expect.poll(() => feed.requests.some(({ wait }) => wait > 0)).toBe(true)
        return response.end()
      }
      const signal = new AbortController().signal
      const { status, body } = await feed.options.fetch(`http://127.0.0.1${url}`, {
        headers: {},
        redirect: 'manual',
        signal,
      })
      response.writeHead(status, { 'content-type': 'application/json' })
      const { value } = (await body?.getReader().read()) ?? {}
      response.end(value)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onCleanup(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  /** Runs a script with a verifier until the process exits. */
  .extend('run', ({ origin }) => (code: string) => {
    const options = {
      baseUrl: origin,
      workspace: 'demo',
      database: 'app',
      revocations: { apiKey: 'usher_key', onStale: 'refuse' },
    }
    const script = `import { createVerifier } from '@usher/verify'
const verifier = createVerifier({ ...${JSON.stringify(options)}, now: () => ${start} })
${code}`
    const args = ['--conditions=@usher/source', '--import', 'tsx', '--input-type=module', '-e', script]
    return startChild(process.execPath, args).ended
  })

it('a process exits while a request waits for revocations', async ({ feed, origin, run }) => {
  const { code, stdout, stderr } = await run(`
await fetch('${origin}/waits')
console.log('done')`)
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'done\n', stderr: '' })
  expect(feed.requests.map(({ wait }) => wait > 0)).toEqual([false, true])
})

it('a process does not exit while verify waits for revocations', async ({ feed, origin, run }) => {
  const userId = crypto.randomUUID()
  feed.add({ type: 'tokens-revoked', userId, generation: 5 })
  feed.respond = async (request) => {
    if (request.wait === 0) await new Promise((resolve) => setTimeout(resolve, 500))
    return feed.answer(request)
  }
  const token = await signToken({ sub: userId, gen: 4 }, `${origin}/workspaces/demo/databases/app`)
  const { code, stdout, stderr } = await run(`
const { error } = await verifier.verify('${token}')
console.log(error.cause.message)`)
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'The token was revoked\n', stderr: '' })
})
