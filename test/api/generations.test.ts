import type { SignedInUser } from '@usher/contract'
import { expect } from 'vitest'
import { it } from '../support/api.js'
import { password } from '../support/app.js'
import { importAll, linesOf } from '../support/lines.js'
import { revokeTokens } from '../support/operator-changes.js'

const refused = [401, 'token_invalid']
const outcome = (response: { statusCode: number; json(): { code: string } }) => [
  response.statusCode,
  response.json().code,
]

it('rejects a token from after the backup after a restore and the next revocation', async ({
  usher,
  database,
  clock,
}) => {
  clock.now = Date.now()
  const email = 'restored@example.com'
  const { id } = await database.signedUp({ email })
  const where = { databaseId: database.id, id }
  const { generation } = await usher.store.prisma.user.findFirstOrThrow({ where })
  const revoke = () => revokeTokens({ store: usher.store, now: new Date(clock.now) }, database, id)
  await revoke()
  clock.now += 2_000
  const { token }: SignedInUser = (await database.login({ email, password })).json()
  await usher.store.prisma.user.updateMany({ where, data: { generation } })
  expect(outcome(await database.me(token.jwt))).toEqual(refused)
  await revoke()
  expect(outcome(await database.me(token.jwt))).toEqual(refused)
})

it('rejects a token of a deleted user after an import of the same id', async ({ usher, database, clock }) => {
  clock.now = Date.now()
  const { id, token } = await database.signedUp()
  await usher.store.prisma.user.deleteMany({ where: { databaseId: database.id, id } })
  clock.now += 1
  const lines = linesOf({ id, email: 'imported@example.com' })
  expect(await importAll(usher, database.id, lines)).toMatchObject({ added: 1 })
  expect(outcome(await database.me(token.jwt))).toEqual(refused)
})
