import { expect } from 'vitest'
import type { TestApi, TestDatabase } from '../support/app.js'
import { outcome } from '../support/codes.js'
import {
  changeFields,
  retireKey,
  rotateKeys,
  setDatabase,
  signingKeysOf,
} from '../support/operator-changes.js'
import { ada, it, next } from './email-change.js'

const invalid = [400, 'code_invalid']
const day = 86_400_000

const operationOf = ({ store, clock }: TestApi) => ({ store, now: new Date(clock.now) })

/** Rotates the keys of a database. Servers learn it. */
async function rotate(usher: TestApi, app: TestDatabase) {
  await rotateKeys(operationOf(usher), app, 0)
  usher.clock.cacheAhead += 5_000
}

/** Retires the key of a database that signs now, after a theft. */
async function retire(usher: TestApi, app: TestDatabase) {
  const [stolen] = await signingKeysOf(usher.store, app)
  usher.clock.now += 1_000
  await rotate(usher, app)
  await retireKey(operationOf(usher), app, stolen?.kid ?? '')
  usher.clock.cacheAhead += 5_000
}

it('codes of a change outlast a rotation of the keys, however short sessions and invitations are', async ({
  app,
  address,
  usher,
}) => {
  await setDatabase(usher.store, app, { sessionMax: 3_600, invitationLifetime: 3_600 })
  const { token } = await app.signedUp({ email: ada })
  await app.markVerified(ada)
  const code = await address.requested(token.jwt, next)
  await rotate(usher, app)
  expect((await address.confirm(code)).json()).toEqual({ email: next })
  const undoCode = await address.codeTo(ada, 'undo-email-change')
  await rotate(usher, app)
  usher.clock.now += 7 * day - 60_000
  expect((await address.undo(undoCode)).json()).toEqual({ email: ada })
})

it('codes of a change end with the key of their time, and the address can be requested again', async ({
  app,
  address,
  usher,
}) => {
  const { token } = await app.signedUp({ email: ada })
  const code = await address.requested(token.jwt, next)
  await retire(usher, app)
  expect(outcome(await address.confirm(code))).toEqual(invalid)
  app.clock.now += 61_000
  const again = await address.requested(await address.loggedIn(ada), next)
  expect((await address.confirm(again)).json()).toEqual({ email: next })
})

it('an undo ends with the key of its time, and the operator can restore the address', async ({
  app,
  address,
  usher,
}) => {
  const { token, id } = await app.signedUp({ email: ada })
  const undoCode = await address.changed(token.jwt, ada, next)
  await retire(usher, app)
  expect(outcome(await address.undo(undoCode))).toEqual(invalid)
  await changeFields(operationOf(usher), app, id, { email: ada, emailUndo: true })
  expect((await address.rows())[0]?.email).toBe(ada)
  expect(await address.rows()).toHaveLength(1)
})
