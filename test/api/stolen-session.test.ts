import { type RouteMetadata, StepUpBody, userTokenOf } from '@usher/contract'
import { expect } from 'vitest'
import { z } from 'zod'
import { password } from '../support/app.js'
import { it as codesTest, outcome } from '../support/codes.js'
import { type DescribedOperation, everyOperation, type OperationRequest } from '../support/operations.js'
import { createScene, prepareStage, requestTo, type Scene, type Stage } from '../support/scene.js'
import { claimsOf, totpAt } from '../support/second-factor.js'

// A thief has the access token of a session, as each backend of the product sees it, and even the password.

const confirmedOperations = everyOperation.filter(
  ({ route }) => 'body' in route && route.body instanceof z.ZodObject && 'confirmation' in route.body.shape,
)

const it = codesTest.extend('stage', { scope: 'file' }, ({ usher, smtp }) => prepareStage(usher, smtp))

it('knows the changes that need a confirmation', () => {
  expect(confirmedOperations.map(({ name }) => name).sort()).toEqual([
    'changePassword',
    'createRecoveryCodes',
    'deleteMe',
    'enrolPasskey',
    'enrolTotp',
    'linkIdentity',
    'removeFactor',
    'requestEmailChange',
    'setSecondFactor',
    'unlinkIdentity',
  ])
})

it.for(confirmedOperations)('$name changes nothing with a stolen session', async (operation, { stage }) => {
  const { api, database } = stage
  const scene = await createScene(stage)
  await scene.linked()
  const { secret, confirmed, token } = await scene.factor()
  // Confirmations that are valid, but not for this session: of another login, and of another user.
  const { challenge } = await scene.secondStep()
  api.clock.now += 30_000
  const url = `${database.users}/login/second-factor`
  const payload = { challenge, totp: totpAt(secret, api.clock.now) }
  const login = (await api.send({ method: 'POST', url, payload })).json()
  const thief = await (await createScene(stage)).factor()
  const read = async (path: string) => (await database.as(token.jwt, 'GET', path)).body
  const account = () => Promise.all(['me', 'me/factors', 'me/identities'].map(read))
  const before = await account()
  const attempt = async (more: object) => {
    const body = async () => ({ ...(await operation.operation.body?.(scene)), password, ...more })
    return outcome(await api.send(await requestTo(stage, scene, operation, { token: () => token.jwt, body })))
  }
  const refused = [401, 'step_up_required']
  const others = [login.confirmation.value, thief.confirmed.confirmation, token.jwt, challenge, undefined]
  for (const confirmation of others) expect(await attempt({ confirmation })).toEqual(refused)
  api.clock.now += 601_000
  expect(await attempt(confirmed)).toEqual(refused)
  expect(await account()).toEqual(before)
})

const hasField = ({ route }: DescribedOperation, name: string) =>
  'body' in route && route.body instanceof z.ZodObject && name in route.body.shape

/** The operations that continue what a login has proven. */
const continuing = everyOperation.filter(
  (each) =>
    each.api === 'api' &&
    (userTokenOf(each.route.metadata as RouteMetadata) || hasField(each, 'refreshToken')),
)

const proofs = Object.keys(StepUpBody.shape)

/** Sends a request a minute after the login. Returns by how many seconds its token and the sessions of the user are later. */
async function moved(
  stage: Stage,
  operation: DescribedOperation,
  { given, isProven = false }: { given: OperationRequest; isProven?: boolean },
) {
  const { api, database } = stage
  const scene = await createScene(stage)
  const request = await requestTo(stage, scene, operation, given)
  const [, jwt = scene.user.token.jwt] = request.headers.authorization?.split(' ') ?? []
  const body = Object.entries(request.payload ? JSON.parse(request.payload) : {})
  const left = Object.fromEntries(body.filter(([name]) => isProven || !proofs.includes(name)))
  const where = { databaseId: database.id, userId: claimsOf(jwt).sub }
  if (!isProven)
    await api.store.prisma.user.updateMany({
      where: { databaseId: database.id, id: where.userId },
      data: { passwordHash: null },
    })
  const before = await api.store.prisma.session.findMany({ where, orderBy: { id: 'asc' } })
  api.clock.now += 60_000
  const { body: text } = await api.send({ ...request, ...(request.payload && { payload: left }) })
  const token = text ? JSON.parse(text).token?.jwt : undefined
  const after = await api.store.prisma.session.findMany({ where, orderBy: { id: 'asc' } })
  const former = new Map(before.map(({ id, provenAt }) => [id, provenAt.getTime()]))
  const times = after.map(({ id, provenAt }) => provenAt.getTime() - (former.get(id) ?? provenAt.getTime()))
  return [...times, token ? (claimsOf(token).auth_time - claimsOf(jwt).auth_time) * 1000 : 0]
}

it.for(continuing)('$name moves no auth_time without a proof', async (operation, { stage }) => {
  const { also = [], ...first } = operation.operation
  for (const given of [first, ...also.filter(({ problem }) => !problem)])
    expect(new Set(await moved(stage, operation, { given }))).toEqual(new Set([0]))
})

it('a step-up moves auth_time with a proof', async ({ stage }) => {
  const stepUp = continuing.find(({ name }) => name === 'stepUp') as DescribedOperation
  const given = { before: async (scene: Scene) => scene.session() }
  expect(await moved(stage, stepUp, { given, isProven: true })).toEqual([60_000, 60_000])
})
