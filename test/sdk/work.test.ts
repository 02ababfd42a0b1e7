import { createHash } from 'node:crypto'
import { createClient } from '@usher/sdk'
import { afterEach, expect, it, vi } from 'vitest'
import { credentials, problem, signedIn, stubFetch, withToken } from './stub-fetch.js'

afterEach(() => void vi.unstubAllGlobals())

const work = { kind: 'work', challenge: 'content.mac', bits: 12, subject: 'createUser grâce@example.com' }
const wanting =
  (code: 'proof_required' | 'proof_invalid' = 'proof_required', more: object = {}) =>
  () =>
    problem(code, {}, { work: { ...work, ...more } })

/** Returns the zero bits of a proof, as the server computes them. */
function zerosOf(proof = '') {
  const at = proof.lastIndexOf('.')
  const seed = createHash('sha256')
    .update(`${proof.slice(0, at)}\n${work.subject}`)
    .digest('base64url')
  const hash = createHash('sha256')
    .update(`${seed}${proof.slice(at)}`)
    .digest()
  return Math.clz32(hash.readUInt32BE())
}

it('does the work that the server wants, reports its progress, and sends the same request again', async () => {
  const { fetch, requests } = stubFetch(wanting(), () => signedIn('jwt', 201))
  const onWork = vi.fn<(progress: number) => void>()
  const { data } = await createClient({ ...withToken, fetch }).createUser(credentials, { onWork })
  expect(data?.token.jwt).toBe('jwt')
  const [first, second] = requests
  const { 'Usher-Proof': proof, ...headers } = second?.headers ?? {}
  expect(proof?.startsWith('content.mac.')).toBe(true)
  expect(zerosOf(proof)).toBeGreaterThanOrEqual(12)
  expect({ ...second, headers }).toEqual({ ...first, headers: { ...headers }, signal: expect.anything() })
  expect(first?.headers['Usher-Proof']).toBeUndefined()
  const reported = onWork.mock.calls.map(([progress]) => progress)
  expect([reported[0], reported.at(-1)]).toEqual([0, 1])
  expect(reported).toEqual(reported.toSorted((one, other) => one - other))
})

it('makes a second proof if the first one was used up, and then returns the problem', async () => {
  const invalid = wanting('proof_invalid', { bits: 4, challenge: 'other.mac' })
  const { fetch, requests } = stubFetch(wanting(), invalid, invalid)
  const { error } = await createClient({ ...withToken, fetch }).requestPasswordReset(credentials)
  expect(error?.code).toBe('proof_invalid')
  expect(requests.map(({ headers }) => headers['Usher-Proof']?.split('.')[0])).toEqual([
    undefined,
    'content',
    'other',
  ])
})

it('works where a page forbids workers', async () => {
  const forbidden = vi.fn()
  const NoWorker = class {
    onerror: ((event: unknown) => void) | undefined
    postMessage() {
      setTimeout(() => this.onerror?.(new Event('error')))
    }
    terminate = forbidden
  }
  vi.stubGlobal('Worker', NoWorker)
  const { fetch, requests } = stubFetch(wanting(), () => signedIn('jwt', 201))
  await createClient({ ...withToken, fetch }).createUser(credentials)
  expect(zerosOf(requests[1]?.headers['Usher-Proof'])).toBeGreaterThanOrEqual(12)
  expect(forbidden).toHaveBeenCalledOnce()
})

it('ends the work when the caller aborts', async () => {
  const { fetch, requests } = stubFetch(wanting('proof_required', { bits: 32 }))
  const controller = new AbortController()
  const reason = new Error('left')
  const { error } = await createClient({ ...withToken, fetch }).createUser(credentials, {
    signal: controller.signal,
    onWork: (progress) => progress > 0 && controller.abort(reason),
  })
  expect([error?.code, error?.cause]).toEqual(['no_answer', reason])
  expect(requests).toHaveLength(1)
})
