import { contract, databasePath, type RouteMetadata, userTokenOf } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import { openApiDocument } from '@usher/contract/openapi'
import { expect } from 'vitest'
import { operationsOf } from '../contract/document-operations.js'
import { it as codesTest } from '../support/codes.js'
import { resolveResponse } from '../support/documented.js'
import { everyOperation, managementOperations, operations } from '../support/operations.js'
import { setDatabase } from '../support/operator-changes.js'
import { createScene, prepareStage, requestTo } from '../support/scene.js'

/** `it` with a database in which every operation succeeds. */
const it = codesTest.extend('stage', { scope: 'file' }, ({ usher, smtp }) => prepareStage(usher, smtp))

it.for([
  ['operations', contract, operations],
  ['managementOperations', managementContract, managementOperations],
] as const)('test/support/operations.ts has each operation of the contract in %s', ([, api, rows]) => {
  const names = Object.values(api).flatMap((noun) => Object.keys(noun))
  expect(Object.keys(rows).sort()).toEqual(names.sort())
})

const ofDatabase = everyOperation.filter(
  ({ api, route }) => api === 'api' && route.path.includes(databasePath),
)
const needsToken = ofDatabase.filter(({ route }) => userTokenOf(route.metadata as RouteMetadata) === 'needed')

/** Returns the URL of an operation, with ids of nothing. */
const urlIn = ({ path }: { path: string }, database: { workspaceSlug: string; databaseName: string }) =>
  path.replace(/:(\w+)/g, (_, name) => database[name as 'databaseName'] ?? crypto.randomUUID())

const bearer = (token: { jwt: string }) => ({ authorization: `Bearer ${token.jwt}` })

it.for(needsToken)('$name needs a token of its database', async (described, { usher, stage, database }) => {
  const { token } = await database.signedUp()
  const { headers, url, ...request } = await requestTo(stage, await createScene(stage), described)
  const { authorization: _, ...others } = headers
  const codeOf = async (given: object, at = url) =>
    (await usher.send({ ...request, url: at, headers: { ...others, ...given } })).json().code
  expect({
    missing: await codeOf({}),
    foreign: await codeOf(bearer(token)),
    unknown: await codeOf({}, url.replace(stage.database.databaseName, 'unknown')),
  }).toEqual({ missing: 'token_missing', foreign: 'token_invalid', unknown: 'database_not_found' })
})

it('the operations of accounts, factors and tenants do not exist in a database without them', async ({
  usher,
}) => {
  const off = await usher.newDatabase()
  const without = {
    ...{ accountOperations: false, tenantOperations: false },
    ...({ secondFactor: 'off', botCheck: 'off' } as const),
  }
  await setDatabase(usher.store, off, without)
  const { token } = await off.signedUp()
  const found = new Map<string, boolean>()
  for (const { name, route } of ofDatabase) {
    const { method } = route
    const response = await usher.send({ method, url: urlIn(route, off), headers: bearer(token) })
    found.set(name, response.statusCode !== 404 || response.json().code !== 'route_not_found')
  }
  const documented = operationsOf(openApiDocument('', '')).map(({ operationId, responses }) => {
    const codes: string[] = resolveResponse(responses[404])?.['x-problem-codes'] ?? []
    return [operationId, !codes.includes('route_not_found')] as const
  })
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(documented.filter(([name]) => found.has(name))),
  )
})

const ranks = ['member', 'billing', 'admin', 'owner'] as const
const ofTenants = ofDatabase.filter(({ route }) => route.path.includes(':tenantId'))

it.for(ofTenants)(
  '$name is found only by members of the tenant, and is refused to lower roles',
  async (described, { usher, stage }) => {
    const { role: least = 'member' } = described.operation
    const scene = await createScene(stage)
    const request = await requestTo(stage, scene, described)
    const outcomeOf = async (user: typeof scene.user, url = request.url) => {
      // To invite needs a verified address.
      await scene.verify(user.email)
      const confirmed = described.operation.isConfirmed && {
        'usher-confirmation': await scene.confirmation(user),
      }
      const headers = { ...request.headers, ...bearer(user.token), ...confirmed }
      const response = await usher.send({ ...request, url, headers })
      return response.statusCode < 300 ? 'success' : response.json().code
    }
    const stranger = await scene.signedUp()
    const unknown = request.url.replace(scene.tenantId, crypto.randomUUID())
    expect([await outcomeOf(stranger), await outcomeOf(stranger, unknown)]).toEqual([
      'tenant_not_found',
      'tenant_not_found',
    ])
    const below = least === 'member' ? [] : ranks.slice(0, ranks.indexOf(least))
    for (const role of below)
      expect([role, await outcomeOf(await scene.member(role))]).toEqual([role, 'role_insufficient'])
    expect([least, await outcomeOf(await scene.member(least))]).toEqual([least, 'success'])
  },
)
