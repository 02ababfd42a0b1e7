import { randomUUID } from 'node:crypto'
import type { AppRoute } from '@ts-rest/core'
import type { ProblemCode } from '@usher/contract'
import { expect } from 'vitest'
import { z } from 'zod'
import { password, validUser } from '../support/app.js'
import { flag } from '../support/authenticator.js'
import { it as codesTest } from '../support/codes.js'
import { everyOperation, type OperationName, type OperationRequest } from '../support/operations.js'
import { createScene, prepareStage, requestTo, type Scene } from '../support/scene.js'
import { claimsOf, totpAt } from '../support/second-factor.js'

/** Whether a success of an operation returns an access token, or may: at any depth of its body. */
const returnsToken = ({ responses }: AppRoute) =>
  Object.entries(responses).some(
    ([status, schema]) =>
      status.startsWith('2') &&
      schema instanceof z.ZodType &&
      JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any' })).includes('"jwt"'),
  )
const tokenOperations = everyOperation.filter(({ route }) => returnsToken(route))

const linkedPerson = ({ user: { id } }: Scene) => ({ subject: `linked-${id}` })

interface Way extends OperationRequest {
  /** Why it is refused. */
  problem: ProblemCode
}

const stepRequired = 'second_factor_required'

/**
 * How somebody without the second factor tries each operation that returns a token. A new operation fails the test until its ways are
 * here.
 *
 * @param enrolments of another app and a passkey, from before the user added one
 */
const waysOf = (enrolments: { totp: object; passkey: object }): Partial<Record<OperationName, Way[]>> => ({
  // The replay of a sign-up is a test below.
  createUser: [{ body: ({ user: { email } }) => validUser({ email }), problem: 'email_taken' }],
  login: [{ problem: stepRequired }],
  finishLogin: [
    { body: (scene) => scene.startedLogin(scene.user.email), problem: stepRequired },
    {
      body: async (scene) => ({ ...(await scene.startedLogin(scene.user.email)), code: undefined }),
      problem: stepRequired,
    },
    { body: (scene) => scene.returned(linkedPerson(scene)), problem: stepRequired },
    {
      body: ({ returned, user: { id, email } }) => returned({ connection: 'github', subject: id, email }),
      problem: stepRequired,
    },
  ],
  loginWithIdToken: [
    { body: (scene) => scene.token({ sub: linkedPerson(scene).subject }), problem: stepRequired },
  ],
  resetPassword: [{ problem: stepRequired }],
  refreshSession: [{ problem: 'session_ended' }],
  verifySecondFactor: [
    { body: ({ secondStep }) => wrongly(secondStep, { totp: '000000' }), problem: 'second_factor_invalid' },
    {
      body: ({ secondStep }) => wrongly(secondStep, { recoveryCode: 'a' }),
      problem: 'second_factor_invalid',
    },
    { body: ({ secondStep }) => wrongly(secondStep, {}), problem: 'validation_failed' },
  ],
  loginWithPasskey: [
    { body: ({ assertion }) => assertion({ flags: { clear: flag.verified } }), problem: 'passkey_invalid' },
  ],
  // Tokens from before the factor was added.
  openSession: [{ problem: 'token_invalid' }],
  addTenantProof: [{ problem: 'token_invalid' }],
  changePassword: [{ problem: 'token_invalid' }],
  unlinkIdentity: [{ problem: 'token_invalid' }],
  stepUp: [{ problem: 'token_invalid' }, { body: () => ({ totp: '000000' }), problem: 'token_invalid' }],
  addTotp: [{ body: () => enrolments.totp, problem: 'token_invalid' }],
  addPasskey: [{ body: () => enrolments.passkey, problem: 'token_invalid' }],
  acceptInvitation: [
    { token: ({ user }) => user.token.jwt, body: () => ({ code: 'none' }), problem: 'token_invalid' },
  ],
  // A token of two factors, without the confirmation.
  removeFactor: [
    { body: () => ({}), problem: 'step_up_required' },
    { body: () => ({ password }), problem: 'step_up_required' },
  ],
  setSecondFactor: [{ body: () => ({ on: true }), problem: 'step_up_required' }],
})

const wrongly = async (secondStep: Scene['secondStep'], proof: object) => ({
  challenge: (await secondStep()).challenge,
  ...proof,
})

const it = codesTest.extend('stage', { scope: 'file' }, ({ usher, smtp }) => prepareStage(usher, smtp))

/** Returns the scene of a user who has a session, a linked identity, a verified address, and then an authenticator app and a passkey. */
async function sceneWithFactor(stage: Parameters<typeof createScene>[0]) {
  const scene = await createScene(stage)
  await scene.verify(scene.user.email)
  await scene.linked()
  await scene.session()
  const totp = await scene.enrolment()
  const { body: passkey } = await scene.enrolled({ jwt: scene.user.token.jwt, confirmed: {} })
  await scene.passkey()
  return { scene, ways: (name: string) => waysOf({ totp, passkey })[name as OperationName] ?? [] }
}

it('knows the ways of every operation that returns a token', () => {
  expect(Object.keys(waysOf({ totp: {}, passkey: {} })).sort()).toEqual(
    tokenOperations.map(({ name }) => name).sort(),
  )
})

it.for(tokenOperations)('$name logs nobody in without the second factor', async (operation, { stage }) => {
  const { scene, ways } = await sceneWithFactor(stage)
  for (const { problem, ...request } of ways(operation.name)) {
    // An address gets one mail a minute.
    stage.api.clock.now += 61_000
    const response = await stage.api.send(await requestTo(stage, scene, operation, request))
    expect([response.statusCode >= 400, response.json().code], response.body).toEqual([true, problem])
    expect(response.body).not.toContain('"jwt"')
  }
})

it.for(tokenOperations)('$name raises no token of one factor to two', async (operation, { stage }) => {
  const { scene, ways } = await sceneWithFactor(stage)
  const { database, api } = stage
  const { token, confirmed, factor } = await scene.factor()
  await database.as(token.jwt, 'PUT', 'me/second-factor', { on: false, ...confirmed })
  const { jwt } = (await database.login({ email: scene.user.email, password })).json().token
  expect(claimsOf(jwt)).toMatchObject({ acr: 'aal1' })
  const params = () => ({ factorId: factor.id })
  // Its challenge exists only while the second step is on.
  const tried = operation.name === 'verifySecondFactor' ? [] : ways(operation.name)
  for (const { problem: _, ...request } of tried) {
    api.clock.now += 61_000
    const given = { ...request, token: () => jwt, ...(operation.name === 'removeFactor' && { params }) }
    const response = await api.send(await requestTo(stage, scene, operation, given))
    const body = response.statusCode < 300 ? response.json() : {}
    if (body.token) expect(claimsOf(body.token.jwt)).toMatchObject({ acr: 'aal1' })
    else expect(response.statusCode, response.body).toBeGreaterThanOrEqual(400)
  }
})

it('repeats no sign-up of a user who has added a factor since', async ({ app, usher, clock }) => {
  const request = {
    method: 'POST',
    url: app.users,
    payload: validUser(),
    headers: { 'idempotency-key': randomUUID() },
  } as const
  const { token } = (await usher.send(request)).json()
  await app.markVerified(request.payload.email)
  const { challenge, secret } = (await app.as(token.jwt, 'POST', 'me/factors/totp', { password })).json()
  const repeated = await usher.send(request)
  expect(repeated.statusCode).toBe(201)
  const body = { challenge, totp: totpAt(secret, clock.now) }
  expect((await app.as(token.jwt, 'POST', 'me/factors/totp/confirm', body)).statusCode).toBe(201)
  const after = await usher.send(request)
  expect([after.statusCode, after.json().code]).toEqual([401, 'second_factor_required'])
})
