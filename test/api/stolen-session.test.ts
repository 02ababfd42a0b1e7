import { expect } from 'vitest'
import { z } from 'zod'
import { password } from '../support/app.js'
import { it as codesTest, outcome } from '../support/codes.js'
import { everyOperation } from '../support/operations.js'
import { createScene, prepareStage, requestTo } from '../support/scene.js'
import { totpAt } from '../support/second-factor.js'

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
