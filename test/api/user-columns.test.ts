import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { CreateUserBody, User } from '@usher/contract'
import { openApiDocument } from '@usher/contract/openapi'
import { expect } from 'vitest'
import { exportUsers } from '../../server/domain/management/users/export-users.js'
import type { Prisma } from '../../server/store/generated/client.js'
import { it as apiTest } from '../support/api.js'
import { importAll, linesOf } from '../support/lines.js'

/** Columns that an imported user does not take from the line, with the reason. */
const notImported = [
  'databaseId', // the new database
  'generation', // raised, so that no earlier token is valid there
  'needsSecondStep', // the factors of a user are not exported
  'tenantsVersion', // raised, so that no earlier revocation concerns the new tokens
]
/** Columns of a tenant that an imported one does not take from the line, with the reason. */
const notOfTenant = [
  'databaseId', // the new database
  'creatorId', // counts the tenants that a user creates, which an import does not
  // Of single sign-on, whose connections are set up again in another database.
  ...['ssoRequiredAt', 'ssoMaxAge', 'ssoAcr', 'ssoTrustAmr', 'ssoJit', 'ssoRole'],
]
/** Columns of a reserved address, which is not exported. Null for an account. */
const notOfAccount = { reservedFor: null, reservedUntil: null }
/** Fields of a sign-up that its example does not have. */
const notInExample = ['invitationCode'] // of an invited user only
/** Fields of a sign-up that `me` does not return. */
const notReturned = ['password', 'newTenant'] // only its hash is stored; a tenant of its own

const it = apiTest.extend('copied', ({ usher, store }) => async (databaseId: string) => {
  const lines: unknown[] = []
  for await (const line of exportUsers(store, databaseId, { now: new Date() })) lines.push(line)
  const copy = await usher.newDatabase()
  expect(await importAll(usher, copy.id, linesOf(...lines))).toMatchObject({ added: 1, rejected: [] })
  return copy
})

/** Returns a value for each column of a model by its type in prisma/schema.prisma. Most differ from the default. */
async function valuesOfColumns(name: string) {
  const schema = await readFile('prisma/schema.prisma', 'utf8')
  const [, model = ''] = schema.match(new RegExp(`^model ${name} \\{\\n(.*?)^\\}`, 'ms')) ?? []
  const values: Record<string, (index: number, name: string) => unknown> = {
    String: (_index, name) => name,
    Boolean: () => true,
    Int: (index) => index,
    BigInt: (index) => BigInt(index),
    DateTime: (index) => new Date(Date.UTC(2026, 0, 1 + index)),
    Json: (_index, name) => ({ [name]: true }),
  }
  const columns = [...model.matchAll(/^ {2}(\w+) +(\w+)\??(?: |$)/gm)].filter(
    ([, , type = '']) => !['Database', 'User', 'Tenant', 'Membership', 'Invitation'].includes(type),
  )
  return Object.fromEntries(
    columns.map(([, name = '', type = ''], index) => {
      const value = values[type]?.(index, name)
      if (value === undefined) throw new Error(`Give the column ${name} of type ${type} a value here`)
      return [name, value]
    }),
  )
}

/** Returns the example of a sign-up in the document. */
function signUpExample() {
  const { paths = {} } = openApiDocument('http://localhost:3000', '0')
  const operations = Object.values(paths).flatMap((path) => (path?.post ? [path.post] : []))
  const { requestBody } = operations.find(({ operationId }) => operationId === 'createUser') ?? {}
  if (!requestBody || '$ref' in requestBody) throw new Error('createUser has no body')
  return requestBody.content['application/json']?.example as Record<string, unknown>
}

it('every field of a sign-up is returned by me, and survives an export and an import', async ({
  usher,
  copied,
}) => {
  const body = signUpExample()
  const fields = Object.keys(CreateUserBody.shape).filter((field) => !notInExample.includes(field))
  expect(Object.keys(body), 'fields of the example').toEqual(fields)
  const database = await usher.newDatabase()
  const { token } = await database.signedUp(body)
  const user = (await database.me(token.jwt)).json()
  expect(Object.keys(user)).toEqual(Object.keys(User.shape))
  for (const field of Object.keys(body).filter((each) => !notReturned.includes(each)))
    expect([field, user[field]]).toEqual([field, body[field]])

  const copy = await copied(database.id)
  const login = (await copy.login({ email: body.email, password: body.password })).json()
  expect((await copy.me(login.token.jwt)).json()).toEqual(user)
})

it('every column of a user survives an export and an import', async ({ usher, store, copied }) => {
  const { id: databaseId } = await usher.newDatabase()
  const row = {
    ...(await valuesOfColumns('User')),
    ...notOfAccount,
    createdAt: new Date(Date.UTC(2026, 0, 1)),
    databaseId,
    id: randomUUID(),
    email: 'Ada@example.com',
    canonicalEmail: 'ada@example.com',
    passwordHash: '$2b$04$W9aN1Tz27FRKl8gKuX.gBulgjqiNj1qVOT4IIyQLorvS2uGgrOq.i',
  }
  await store.prisma.user.create({ data: row })

  const copy = await copied(databaseId)
  const before = await store.prisma.user.findFirstOrThrow({ where: { databaseId } })
  const after = await store.prisma.user.findFirstOrThrow({ where: { databaseId: copy.id } })
  expect(Object.keys(before).sort(), 'each column has a value').toEqual(Object.keys(row).sort())
  for (const column of Object.keys(before).filter((each) => !notImported.includes(each)))
    expect([column, after[column as 'email']]).toEqual([column, before[column as 'email']])
})

it('every column of a tenant and of a membership survives an export and an import', async ({
  usher,
  store,
  copied,
}) => {
  const { id: databaseId, signedUp } = await usher.newDatabase()
  const { id: userId } = await signedUp()
  const tenant = { ...(await valuesOfColumns('Tenant')), databaseId, id: randomUUID(), creatorId: userId }
  const membership = {
    ...(await valuesOfColumns('Membership')),
    databaseId,
    userId,
    tenantId: tenant.id,
    role: 'admin',
  }
  await store.prisma.tenant.createMany({ data: [tenant as Prisma.TenantCreateManyInput] })
  await store.prisma.membership.createMany({ data: [membership as Prisma.MembershipCreateManyInput] })

  const copy = await copied(databaseId)
  const rowsOf = async (databaseId: string) => ({
    tenant: await store.prisma.tenant.findFirstOrThrow({ where: { databaseId } }),
    membership: await store.prisma.membership.findFirstOrThrow({ where: { databaseId } }),
  })
  const [before, after] = [await rowsOf(databaseId), await rowsOf(copy.id)]
  expect(Object.keys(before.tenant).sort(), 'each column has a value').toEqual(Object.keys(tenant).sort())
  for (const column of Object.keys(before.tenant).filter((each) => !notOfTenant.includes(each)))
    expect([column, after.tenant[column as 'name']]).toEqual([column, before.tenant[column as 'name']])
  // Another database has other connections, which open it.
  const withoutSso = { databaseId: copy.id, ssoExempt: null, ssoOnly: null }
  expect(after.membership).toEqual({ ...before.membership, ...withoutSso })
})
