import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exchange, parseResponses } from '../../support/raw-http.js'
import { report, times } from '../form.js'
import { wireRequests } from './bytes.js'
import { cases, seed } from './cases.js'
import { expectAnswered, expectCleanPrototype } from './harmless.js'
import { startWorld } from './world.js'

let usher: Awaited<ReturnType<typeof startWorld>>
let port: number
beforeAll(async () => {
  usher = await startWorld()
  await usher.app.listen({ host: '127.0.0.1', port: 0 })
  port = (usher.app.server.address() as AddressInfo).port
})
afterAll(() => usher.close())

it('answers whatever bytes a client sends with success or a problem, and ends', async () => {
  const statuses = new Map<number, number>()
  let connections = 0

  async function send(text: string) {
    connections += 1
    const bytes = Buffer.from(text, 'latin1')
    const received = await exchange(port, bytes)
    // Under load the answer may take longer than the client has waited before it ended its half.
    const answers = parseResponses(
      received.length > 0 ? received : await exchange(port, bytes, 5000),
      isHead(text),
    )
    if (text.trim() !== '' && !isCutUpgrade(text)) expect(answers.length, 'answers').toBeGreaterThan(0)
    for (const answer of answers) {
      expectAnswered(answer)
      statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1)
    }
  }

  const atOnce = fc.array(wireRequests(usher.world), { minLength: 1, maxLength: 49, size: 'max' })
  const property = fc.asyncProperty(atOnce, async (texts) => {
    usher.clock.now += 1000
    const about = (text: string) => (cause: unknown) => {
      throw new Error(`${cause} after ${JSON.stringify(text)}`, { cause })
    }
    const outcomes = await Promise.allSettled(texts.map((text) => send(text).catch(about(text))))
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    usher.expectCleanLog()
  })
  await fc.assert(property, { ...cases(times(12, 400), 10), timeout: 30_000, endOnFailure: true })
  expectCleanPrototype()
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  report(`connections ${connections}, seed ${seed}; ${counts.join(', ')}`)
})

/** Node does not answer a client that asks for another protocol and hangs up before its request is whole. */
const isCutUpgrade = (text: string) => /^upgrade:/im.test(text)

const isHead = (text: string) => /^\s*HEAD /.test(text)
