import type { Work } from '@usher/contract'
import { expect, vi } from 'vitest'
import { signedValue } from '../../server/domain/keys/signed-text.js'
import { validUser } from '../support/app.js'
import { outcome } from '../support/codes.js'
import { it as mailTest, newVerifier } from '../support/login-mail.js'
import { setDatabase } from '../support/operator-changes.js'
import { codeIn } from '../support/smtp.js'
import { counterOf, solve } from '../support/work.js'

/** `it` with a database whose bot check is on. */
const it = mailTest.extend('checked', async ({ mail: _, app, usher }) => {
  const set = async (settings: object) => {
    await setDatabase(usher.store, app, settings)
    usher.clock.cacheAhead += 6_000
  }
  await set({ botCheck: 'always' })
  const post = (path: string, payload: object, proof?: string, more: object = {}) =>
    usher.send({
      method: 'POST',
      url: `${app.users}${path}`,
      payload,
      headers: { ...(proof !== undefined && { 'usher-proof': proof }), ...more },
    })
  const signUp = (email: string, proof?: string, more?: object) => post('', validUser({ email }), proof, more)
  const url = app.users.replace(/users$/, 'work')
  return {
    set,
    signUp,
    reset: (email: string, proof?: string) => post('/password-reset', { email }, proof),
    loginCode: (email: string, proof?: string) =>
      post('/login/code', { email, challenge: newVerifier().challenge }, proof),
    getWork: () => usher.send({ method: 'GET', url }),
    /** Returns the work that a sign-up needs. */
    workOf: async (email: string): Promise<Work> => (await signUp(email)).json().work,
  }
})

const required = [403, 'proof_required']
const invalid = [403, 'proof_invalid']

it('needs one proof per sign-up and per mail that a visitor requests', async ({ checked }) => {
  const { signUp, reset, loginCode } = checked
  for (const [send, operation, status] of [
    [signUp, 'createUser', 201],
    [reset, 'requestPasswordReset', 202],
    [loginCode, 'requestLoginCode', 202],
  ] as const) {
    const refused = await send('Grace@Example.com')
    expect(outcome(refused)).toEqual(required)
    const { work } = refused.json()
    expect(work).toEqual({
      ...{ kind: 'work', bits: 15, challenge: expect.any(String) },
      subject: `${operation} grace@example.com`,
    })
    const proof = solve(work)
    expect((await send('Grace@Example.com', proof)).statusCode).toBe(status)
    const again = await send('Grace@Example.com', proof)
    expect(outcome(again)).toEqual(invalid)
    // The problem has what another proof needs.
    expect(again.json().work.challenge).not.toBe(work.challenge)
  }
})

it('takes the work that was done before the request', async ({ checked }) => {
  const { challenge, bits } = (await checked.getWork()).json()
  const proof = solve({ challenge, bits, subject: 'createUser ada@example.com' })
  expect((await checked.signUp('ada@example.com', proof)).statusCode).toBe(201)
})

it('accepts a proof for one of many requests at the same time', async ({ checked, app, usher }) => {
  const proof = solve(await checked.workOf('ada@example.com'))
  const responses = await Promise.all(
    Array.from({ length: 8 }, () => checked.signUp('ada@example.com', proof)),
  )
  const outcomes = responses.map((response) => response.statusCode).sort()
  expect(outcomes).toEqual([201, 403, 403, 403, 403, 403, 403, 403])
  expect(await usher.store.prisma.user.count({ where: { databaseId: app.id } })).toBe(1)
})

it('refuses the proof of another address, operation or database, before it computes a hash', async ({
  checked,
  usher,
}) => {
  const hash = vi.spyOn(usher.context.hashing, 'hash')
  const work = await checked.workOf('ada@example.com')
  const proof = solve(work)
  expect(outcome(await checked.signUp('eve@example.com', proof))).toEqual(invalid)
  expect(outcome(await checked.reset('ada@example.com', proof))).toEqual(invalid)
  const other = await usher.newDatabase()
  await checked.set({ botCheck: 'always' })
  await setDatabase(usher.store, other, { botCheck: 'always' })
  const elsewhere = await usher.send({
    ...{ method: 'POST', url: other.users, payload: validUser({ email: 'ada@example.com' }) },
    headers: { 'usher-proof': proof },
  })
  expect(outcome(elsewhere)).toEqual(invalid)
  expect(hash).not.toHaveBeenCalled()
  // None of them has used it up.
  expect((await checked.signUp('ada@example.com', proof)).statusCode).toBe(201)
})

it('refuses proofs that have expired, have too few bits, or whose challenge was not signed for them', async ({
  checked,
  app,
  usher,
  clock,
}) => {
  const email = 'ada@example.com'
  const subject = `createUser ${email}`
  const work = await checked.workOf(email)
  const fewer = counterOf(work, (zeros) => zeros === work.bits - 1)
  const secrets = await usher.context.findSecrets(app.id)
  const value = { id: app.id, bits: 1, expiresAt: clock.now + 60_000 }
  const ofOtherPurpose = signedValue(secrets, 'confirmation', value)
  const [payload, mac] = work.challenge.split('.')
  const easier = Buffer.from(JSON.stringify({ ...value, id: crypto.randomUUID() })).toString('base64url')
  for (const challenge of [ofOtherPurpose, `${easier}.${mac}`, `${payload}.${'A'.repeat(43)}`, 'x'])
    expect(outcome(await checked.signUp(email, solve({ challenge, bits: 1, subject })))).toEqual(invalid)
  for (const proof of [
    `${work.challenge}.${fewer}`,
    work.challenge,
    `${work.challenge}.-1`,
    '',
    'a'.repeat(10_240),
  ])
    expect(outcome(await checked.signUp(email, proof))).toEqual(invalid)
  const proof = solve(work)
  clock.now += 300_000
  expect(outcome(await checked.signUp(email, proof))).toEqual(invalid)
})

it('does not reveal whether an account exists', async ({ checked, app, usher }) => {
  await checked.set({ botCheck: 'off' })
  const { email } = validUser()
  await app.signedUp({ email })
  await checked.set({ botCheck: 'always' })
  usher.forgetLog()
  for (const send of [checked.signUp, checked.reset, checked.loginCode]) {
    const responses = [await send(email), await send('nobody@example.com'), await send(email, 'x')]
    const shown = responses.map((response) => {
      const { requestId: _, work, ...problem } = response.json()
      return { ...problem, bits: work.bits }
    })
    expect(shown[0]).toEqual(shown[1])
    expect(shown[2]).toMatchObject({ code: 'proof_invalid' })
  }
})

it('asks neither invited people nor the repetition of a sign-up, nor who logs in', async ({
  checked,
  app,
  usher,
}) => {
  const email = 'ada@example.com'
  const headers = { 'idempotency-key': 'one' }
  const proof = solve(await checked.workOf(email))
  const user = await checked.signUp(email, proof, headers)
  expect((await checked.signUp(email, undefined, headers)).json().id).toBe(user.json().id)
  const { password } = validUser()
  expect((await app.login({ email, password })).statusCode).toBe(200)
  await checked.set({ requireVerifiedInviter: false })
  const owner = await checked.signUp('owner@example.com', solve(await checked.workOf('owner@example.com')))
  const as = (url: string, payload: object) =>
    usher.send({
      ...{ method: 'POST', url: app.users.replace(/users$/, url), payload },
      headers: { authorization: `Bearer ${owner.json().token.jwt}` },
    })
  const { id } = (await as('tenants', { name: 'Engines' })).json()
  await as(`tenants/${id}/invitations`, { email: 'grace@example.com', role: 'member' })
  const invited = {
    ...validUser({ email: 'grace@example.com' }),
    invitationCode: codeIn((await app.delivered())[0] as never),
  }
  expect((await app.createUser(invited)).statusCode).toBe(201)
  expect(outcome(await app.createUser(validUser({ invitationCode: 'none' })))).toEqual([400, 'code_invalid'])
  const session = await app.openSession(user.json().token.jwt)
  expect((await app.refresh(session.json().refreshToken.value)).statusCode).toBe(200)
})

it('with `auto`, asks a network that has used half of an allowance, and no other', async ({
  checked,
  app,
  usher,
}) => {
  await checked.set({ botCheck: 'auto', signUpsPerHour: 4 })
  const send = (path: string, payload: object, remoteAddress: string, proof?: string) =>
    usher.send({
      ...{ method: 'POST', url: app.users + path, payload, remoteAddress },
      ...(proof && { headers: { 'usher-proof': proof } }),
    })
  const office = '203.0.113.20'
  for (let count = 0; count < 2; count++) expect((await send('', validUser(), office)).statusCode).toBe(201)
  const user = validUser()
  const refused = await send('', user, office)
  expect(outcome(refused)).toEqual(required)
  expect((await send('', validUser(), '203.0.113.21')).statusCode).toBe(201)
  expect((await send('', user, office, solve(refused.json().work))).statusCode).toBe(201)
  // Half of 20 mails of a kind.
  const reset = (index: number) => send('/password-reset', { email: `user-${index}@example.com` }, office)
  for (let index = 0; index < 10; index++) expect((await reset(index)).statusCode).toBe(202)
  expect(outcome(await reset(10))).toEqual(required)
})

it('runs no statement and reads no header while it is off or not needed', async ({ checked, usher }) => {
  const query = vi.spyOn(usher.context.store, 'query')
  // A delivery would run statements of its own.
  vi.spyOn(usher.context, 'deliver').mockReturnValue(undefined)
  const transaction = vi.spyOn(usher.context.store, 'transaction')
  const find = vi.spyOn(usher.context, 'findSecrets')
  const statements: string[][] = []
  for (const [index, settings] of [{ botCheck: 'off' }, { botCheck: 'auto' }].entries()) {
    await checked.set(settings)
    await checked.reset(`first-${index}@example.com`)
    query.mockClear()
    transaction.mockClear()
    find.mockClear()
    expect((await checked.reset(`user-${index}@example.com`, 'no proof')).statusCode).toBe(202)
    statements.push(query.mock.calls.map(([sql]) => String(sql)))
    expect(find).not.toHaveBeenCalled()
    expect(transaction).toHaveBeenCalledOnce()
  }
  expect(statements[1]).toEqual(statements[0])
  expect(statements.flat().join()).not.toContain('used_challenge')
  await checked.set({ botCheck: 'off' })
  expect((await checked.getWork()).statusCode).toBe(404)
})
