import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { expect } from 'vitest'
import { exchange, parseResponses } from '../../http/raw-http.js'
import { report, times } from '../form.js'
import { wireRequests } from './bytes.js'
import { cases, seed } from './cases.js'
import { expectCleanPrototype, expectSuccessOrProblem } from './harmless.js'
import { it } from './world.js'

it('the server answers any bytes with success or a problem, and closes the connection', async ({ usher }) => {
  await usher.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = usher.app.server.address() as AddressInfo
  const statuses = new Map<number, number>()
  let connections = 0

  async function send(text: string) {
    connections += 1
    const bytes = Buffer.from(text, 'latin1')
    let responses = parseResponses(await exchange(port, bytes), isHead(text))
    // Under load the response may arrive after the client has half-closed the connection.
    if (responses.length === 0) responses = parseResponses(await exchange(port, bytes, 5000), isHead(text))
    if (text.trim() !== '' && !isCutUpgrade(text)) expect(responses.length, 'responses').toBeGreaterThan(0)
    for (const response of responses) {
      expectSuccessOrProblem(response)
      statuses.set(response.statusCode, (statuses.get(response.statusCode) ?? 0) + 1)
    }
  }

  const concurrentRequests = fc.array(wireRequests(usher.world), { minLength: 1, maxLength: 49, size: 'max' })
  const property = fc.asyncProperty(concurrentRequests, async (texts) => {
    await usher.restore()
    const about = (text: string) => (cause: unknown) => {
      throw new Error(`${cause} after ${JSON.stringify(text)}`, { cause })
    }
    const outcomes = await Promise.allSettled(texts.map((text) => send(text).catch(about(text))))
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    usher.expectCleanLog()
  })
  await fc.assert(property, { ...cases(times(4, 400), 10), timeout: 30_000, endOnFailure: true })
  expectCleanPrototype()
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  report(`connections ${connections}, seed ${seed}; ${counts.join(', ')}`)
})

/** Node sends no response if a client requests another protocol and disconnects before its request is complete. */
const isCutUpgrade = (text: string) => /^upgrade:/im.test(text)

const isHead = (text: string) => /^\s*HEAD /.test(text)
