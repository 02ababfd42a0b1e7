import { expect, it } from 'vitest'
import { createAttemptKeys } from '../../server/domain/throttle/attempt-keys.js'
import { createNetworkAllowance } from '../../server/domain/throttle/network-allowance.js'
import { createRequestLimits, type LimitedRequest } from '../../server/domain/throttle/request-limits.js'
import { secondsLeft, wasSeen } from '../../server/domain/throttle/rules.js'
import { createUnstoredFailures } from '../../server/domain/throttle/unstored-failures.js'
import { UnavailableError } from '../../server/store/errors.js'

const now = Date.parse('2026-03-01T12:00:00Z')
const hour = 3_600_000
const ago = (milliseconds: number) => new Date(now - milliseconds)
const bytes = (text: string) => new Uint8Array(Buffer.from(text))

it.for([
  ['network', 4, 0, 0],
  ['network', 5, 0, 1],
  ['network', 6, 0, 2],
  ['network', 14, 0, 512],
  ['network', 15, 0, 900],
  ['network', 40, 0, 900],
  ['account', 99, 0, 0],
  ['account', 100, 0, 900],
  ['network', 8, 7_999, 1],
  ['network', 8, 8_000, 0],
  ['network', 8, 60_000, 0],
  // A clock that is behind by what servers may differ, and one that was set back.
  ['network', 8, -30_000, 8],
  ['network', 8, -30_001, 0],
] as const)(
  '%s: after %i failures, the last %i ms ago, the wait is %i s',
  ([kind, count, since, seconds]) => {
    const none = { network: undefined, account: undefined }
    expect(secondsLeft({ ...none, [kind]: { count, lastAt: ago(since) } }, now)).toBe(seconds)
  },
)

it('the longer wait of network and account counts', () => {
  const failures = (count: number) => ({ count, lastAt: ago(0) })
  expect(secondsLeft({ network: failures(7), account: failures(100) }, now)).toBe(900)
  expect(secondsLeft({ network: failures(7), account: failures(1) }, now)).toBe(4)
})

it('what was seen long ago, or never, was not seen', () => {
  expect(wasSeen(null, now, 1_000)).toBe(false)
  expect([999, 1_000].map((milliseconds) => wasSeen(ago(milliseconds), now, 1_000))).toEqual([true, false])
})

/** Returns the allowance of networks, of which a database may fail 4 times an hour, and its store. */
function newAllowance() {
  const state = {
    now,
    fullAt: new Map<string, number>(),
    statements: 0,
    impossible: undefined as unknown,
    error: undefined as Error | undefined,
  }
  const query = async (_text: string, values: unknown[]) => {
    state.statements += 1
    if (state.error) throw state.error
    state.impossible = values[6]
    const [databaseId, network, , first, milliseconds, latest] = values as [
      string,
      Uint8Array,
      Date,
      Date,
      number,
      Date,
    ]
    const key = databaseId + Buffer.from(network)
    const later = (state.fullAt.get(key) ?? 0) + milliseconds
    state.fullAt.set(key, Math.min(Math.max(later, first.getTime()), latest.getTime()))
    return [{ fullAt: new Date(state.fullAt.get(key) ?? 0) }]
  }
  const allowance = createNetworkAllowance({ query: query as never }, () => state.now)
  const database = { id: 'one', networkFailuresPerHour: 4 }
  return {
    state,
    fail: (network = 'home', of = database) => allowance.countFailure(of, { network: bytes(network) }),
    /** Returns the seconds that a client has to wait, or undefined. */
    left: (network = 'home', of = database) =>
      allowance.refusal(of, { network: bytes(network) })?.retryAfterSeconds,
  }
}

it('a network has an allowance of failures per database, which returns at a constant rate', async () => {
  const { state, fail, left } = newAllowance()
  for (let count = 0; count < 4; count++) {
    expect(left()).toBeUndefined()
    await fail()
  }
  expect(left()).toBe(900)
  expect([left('office'), left('home', { id: 'two', networkFailuresPerHour: 4 })]).toEqual([
    undefined,
    undefined,
  ])
  state.now += 899_001
  expect(left()).toBe(1)
  state.now += 999
  expect(left()).toBeUndefined()
  await fail()
  expect(left()).toBe(900)
})

it('a database without limit counts no failures', async () => {
  const { state, fail, left } = newAllowance()
  const unlimited = { id: 'one', networkFailuresPerHour: 0 }
  await fail('home', unlimited)
  expect(state.statements).toBe(0)
  for (let count = 0; count < 5; count++) await fail()
  expect(left('home', unlimited)).toBeUndefined()
})

it('an allowance is read again by the next failure if the clock was set back', async () => {
  const { state, fail, left } = newAllowance()
  for (let count = 0; count < 4; count++) await fail()
  state.now -= 30_000
  expect(left()).toBe(930)
  state.now -= 1
  expect(left()).toBeUndefined()
})

it('while the store is unavailable, a process counts by itself', async () => {
  const { state, fail, left } = newAllowance()
  state.error = new UnavailableError('unavailable')
  for (let count = 0; count < 4; count++) {
    expect(left()).toBeUndefined()
    await fail()
  }
  expect(left()).toBe(900)
  // The allowance is never in debt for more than one failure.
  await fail()
  await fail()
  expect(left()).toBe(1800)
  state.error = new TypeError('unexpected')
  await expect(fail()).rejects.toThrow('unexpected')
})

it('a stored time later than possible is ignored: an hour, one failure and the skew of clocks from now', async () => {
  const { state, fail } = newAllowance()
  await fail()
  expect(state.impossible).toEqual(new Date(now + hour + 900_000 + 30_000))
})

it('failures that are not stored are added to the stored ones', () => {
  let time = now
  const { count, clear, addTo } = createUnstoredFailures(() => time)
  const guess = (address: string, network: string, isKnown = false) => ({
    databaseId: 'one',
    attempt: { address: bytes(address), network: bytes(network) },
    isKnown,
  })
  const none = { network: undefined, account: undefined }
  const own = (number: number, at = now) => ({ count: number, lastAt: new Date(at) })
  const home = guess('ada', 'home')
  expect(addTo(none, home)).toEqual(none)
  count(home, 1)
  count(guess('ada', 'office', true), 1)
  expect(addTo(none, home)).toEqual({ network: own(1), account: own(1) })
  expect(addTo(none, guess('ada', 'office', true))).toEqual({ network: own(1), account: undefined })
  expect(addTo(none, guess('grace', 'home'))).toEqual(none)
  const stored = (milliseconds: number) => ({ count: 3, lastAt: ago(milliseconds) })
  expect(addTo({ network: stored(1), account: stored(-1) }, home)).toEqual({
    network: own(4),
    account: { count: 4, lastAt: ago(-1) },
  })
  expect(addTo({ network: stored(1), account: undefined }, guess('grace', 'home')).network).toEqual(stored(1))
  time += 1_000
  count(home, 1)
  expect(addTo(none, home)).toEqual({ network: own(2, time), account: own(2, time) })
  count(home, -1)
  count(home, -1)
  expect(addTo(none, home)).toEqual(none)
  count(home, 1)
  clear(home)
  expect(addTo(none, home)).toEqual(none)
  expect(addTo(none, guess('ada', 'office', true)).network).toEqual(own(1))
})

/** Returns the limits of a request, each as its name, its number and its hours. */
function limitsOf(request: LimitedRequest, mailsPerHour = 0) {
  const limits = createRequestLimits(Buffer.alloc(32))(
    { id: 'one', mailsPerHour, signUpsPerHour: 7 },
    request,
  )
  const shown = limits.map(({ name, windowMilliseconds, requestMilliseconds, purpose }) => [
    name,
    Math.floor(windowMilliseconds / requestMilliseconds),
    windowMilliseconds / hour,
    purpose,
  ])
  return { shown, sources: limits.map(({ source }) => Buffer.from(source).toString('hex')) }
}

const canonicalEmail = 'ada@example.com'
const ofClient = { purpose: 'password_reset', canonicalEmail, clientAddress: '203.0.113.7' }
const network = ['network', 20, 1, 'password_reset']
const address = [
  ['address', 1, 1 / 60, 'password_reset'],
  ['address', 5, 1, 'password_reset'],
]

it('a mail is limited by network, site, address or user, and at last by the database', () => {
  expect(limitsOf(ofClient).shown).toEqual([network, ...address])
  expect(limitsOf({ ...ofClient, clientAddress: '2001:db8::1' }, 50).shown).toEqual([
    network,
    ['site', 40, 1, 'password_reset'],
    ...address,
    ['database', 50, 1, undefined],
  ])
  expect(limitsOf({ ...ofClient, userId: 'ada' }).shown).toEqual([
    network,
    ...address,
    ['user', 5, 1, 'password_reset'],
  ])
  const ofNobody = { ...ofClient, userId: undefined } as unknown as LimitedRequest
  expect(limitsOf(ofNobody).shown).toEqual([network, ...address])
  expect(limitsOf({ purpose: 'notice', userId: 'ada' }).shown).toEqual([['user', 5, 1, 'notice']])
  const ofTenant = { purpose: 'sso_changed', tenantId: 'acme' } as const
  expect(limitsOf(ofTenant, 50).shown).toEqual([['tenant', 5, 1, 'sso_changed']])
})

it('an invitation is also limited by its inviter', () => {
  const invitation = { ...ofClient, purpose: 'invitation', inviterId: 'ada' }
  const ofInviter = [
    ['inviter', 20, 1, 'invitation'],
    ['inviter', 100, 24, 'invitation'],
    ['address', 5, 24, 'invitation'],
  ]
  expect(limitsOf(invitation).shown).toEqual([['network', 60, 1, 'invitation'], ...ofInviter])
  expect(limitsOf({ ...invitation, clientAddress: '2001:db8::1' }).shown).toEqual([
    ['network', 60, 1, 'invitation'],
    ['site', 120, 1, 'invitation'],
    ...ofInviter,
  ])
})

it('mails other than resets and verifications get half of the mails of a database', () => {
  const ofDatabase = (purpose: string, mailsPerHour = 50) => {
    const { shown, sources } = limitsOf({ ...ofClient, purpose }, mailsPerHour)
    return shown.flatMap(([name, mails], index) => (name === 'database' ? [[mails, sources[index]]] : []))
  }
  const [all] = ofDatabase('password_reset')
  expect(ofDatabase('email_verification')).toEqual([all])
  const others = ofDatabase('invitation')
  expect(others).toEqual([[25, expect.any(String)], all])
  expect(others[0]?.[1]).not.toBe(all?.[1])
  expect(ofDatabase('email_change')).toEqual(others)
  expect(ofDatabase('invitation', 1).map(([mails]) => mails)).toEqual([1, 1])
})

it('a sign-up is limited by network and site only', () => {
  const signUp = { purpose: 'sign_up', clientAddress: '2001:db8::1' } as const
  expect(limitsOf(signUp, 50).shown).toEqual([
    ['network', 7, 1, 'sign_up'],
    ['site', 14, 1, 'sign_up'],
  ])
  expect(limitsOf({ ...signUp, clientAddress: '203.0.113.7' }).shown).toEqual([['network', 7, 1, 'sign_up']])
})

it('addresses that differ only in a tag share a limit, and others do not', () => {
  const sourceOf = (canonicalEmail: string) =>
    limitsOf({ purpose: 'reset', canonicalEmail, clientAddress: '203.0.113.7' }).sources.at(-1)
  const ada = sourceOf('ada@example.com')
  expect([sourceOf('ada+lists@example.com'), sourceOf('ada+a+b@example.com')]).toEqual([ada, ada])
  for (const other of ['ad@example.com', 'ada@other.example', '+ada@example.com', 'ada@ex+ample.com'])
    expect(sourceOf(other)).not.toBe(ada)
  expect(sourceOf('+ada@example.com')).not.toBe(sourceOf('@example.com'))
})

it('the keys of an attempt depend on the database, and those of networks not on their notation', () => {
  const { address, network, attempt } = createAttemptKeys(Buffer.alloc(32))
  const key = attempt('one', 'ada@example.com', '192.0.2.1')
  expect(key).toEqual({
    address: address('one', 'ada@example.com'),
    network: network('one', '::ffff:192.0.2.1'),
  })
  expect(address('two', 'ada@example.com')).not.toEqual(key.address)
  expect(network('two', '192.0.2.1')).not.toEqual(key.network)
  expect(network('one', '192.0.2.2')).not.toEqual(key.network)
  expect(createAttemptKeys(Buffer.alloc(32, 1)).address('one', 'ada@example.com')).not.toEqual(key.address)
  expect([key.address.length, Buffer.from(key.network).includes('192')]).toEqual([32, false])
})
