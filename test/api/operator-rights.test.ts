import { managementContract } from '@usher/contract/management'
import {
  managementRights,
  type OperatorMetadata,
  operatorContract,
  operatorRoles,
} from '@usher/contract/operator'
import { expect } from 'vitest'
import type { Host } from '../../server/cli/io/host.js'
import { admitCommand, type RemoteCaller } from '../../server/cli/remote/admit-command.js'
import { commandRights } from '../../server/cli/remote/command-rights.js'
import { Problem } from '../../server/domain/problem.js'
import { commandsUnder } from '../store/every-command.js'
import { it as consoleTest, type LoggedInOperator } from '../support/console.js'

interface Operation {
  name: string
  method: string
  path: string
  role: (typeof operatorRoles)[number] | null
  in: OperatorMetadata['in']
  confirms: boolean
}

type Route = { method: string; path: string; metadata?: Partial<OperatorMetadata> }

const routesOf = (contract: object) =>
  Object.values(contract).flatMap((routes) => Object.entries(routes as Record<string, Route>))

const operations: Operation[] = [
  ...routesOf(operatorContract).flatMap(([name, { method, path, metadata }]) =>
    metadata?.role
      ? [
          {
            name,
            method,
            path,
            role: metadata.role,
            in: metadata.in ?? 'anywhere',
            confirms: !!metadata.confirms,
          },
        ]
      : [],
  ),
  ...routesOf(managementContract).flatMap(([name, { method, path }]) => {
    if (!path.includes('/management/') || !path.includes(':databaseName')) return []
    const rights: Record<string, { role: Operation['role']; confirms?: true }> = managementRights
    const right = rights[name] ?? { role: null }
    return [{ name, method, path, role: right.role, in: 'workspace' as const, confirms: !!right.confirms }]
  }),
]

const unknownId = '01a1fc6e-1b1c-7d5e-9b57-4d7b1c1f0a01'

/** Returns the path of an operation. What it would delete does not exist. */
const urlOf = ({ name, path }: Operation, workspace: string) =>
  path
    .replace(':workspaceSlug', workspace)
    .replace(':databaseName', name === 'deleteDatabase' ? 'missing' : 'app')
    .replace(/:\w+/g, unknownId)

/** Who asks, and the role that counts in the own workspace, in a foreign one, and in the installation. */
const holders = [
  { name: 'none', own: undefined, foreign: undefined, installation: undefined },
  ...operatorRoles.map((role) => ({
    name: `${role} of own`,
    own: role,
    foreign: undefined,
    installation: undefined,
  })),
  ...operatorRoles.map((role) => ({
    name: `${role} of all`,
    own: role,
    foreign: role,
    installation: role,
  })),
] as const

type Role = (typeof operatorRoles)[number] | undefined
const rank = (role: Role | null) => operatorRoles.indexOf(role as never)

/** Returns the problem that an operation must have, or undefined if the operator may do it. */
function refusalOf(
  { role: least, in: place, confirms }: Operation,
  { role, hasConfirmation }: { role: Role; hasConfirmation: boolean },
) {
  if (place === 'workspace' && !role) return 'database_not_found'
  if (least === null || rank(role) < rank(least)) return 'role_insufficient'
  return confirms && !hasConfirmation ? 'step_up_required' : undefined
}

type Confirmed = LoggedInOperator & { confirmation: string }

const it = consoleTest
  .extend('owner', { scope: 'file' }, ({ console }) => console.owner())
  .extend('operators', { scope: 'file' }, async ({ console, owner }) => {
    for (const slug of ['own', 'foreign']) {
      await owner.send('POST', '/operator/workspaces', { slug })
      await owner.send('POST', `/operator/workspaces/${slug}/databases`, { name: 'app' })
    }
    const operators = new Map<string, Confirmed>()
    for (const [index, { name, own, installation }] of holders.entries()) {
      const right = installation
        ? { workspace: null, role: installation }
        : { workspace: 'own', role: own ?? 'member' }
      const operator = await console.operator(owner, { email: `operator-${index}@example.com`, ...right })
      if (!own) {
        const headers = { 'usher-confirmation': await owner.confirm() }
        await owner.send(
          'PATCH',
          `/operator/operators/${operator.id}`,
          { workspace: 'own', role: null },
          headers,
        )
      }
      operators.set(name, Object.assign(operator, { confirmation: '' }))
    }
    // The first one would expire before the last operator is added.
    for (const operator of operators.values()) operator.confirmation = await operator.confirm()
    return operators
  })

it('the contract has operations of each kind', () => {
  expect(operations.length).toBeGreaterThan(50)
  expect(new Set(operations.map((each) => each.in))).toEqual(
    new Set(['anywhere', 'workspace', 'installation']),
  )
})

/** Every holder in every workspace, with and without a confirmation if the operation may need one. */
const casesOf = (operation: Operation) =>
  holders.flatMap((holder) =>
    (operation.in === 'workspace' ? (['own', 'foreign'] as const) : (['own'] as const)).flatMap((workspace) =>
      (operation.confirms ? [true, false] : [false]).map((hasConfirmation) => ({
        holder,
        workspace,
        hasConfirmation,
      })),
    ),
  )

/** Returns what confirms an operation: for an import a permit, if the operator may begin one. */
async function confirmationFor({ name }: Operation, operator: Confirmed, workspace: string) {
  if (name !== 'importUsers') return operator.confirmation
  const path = `/operator/workspaces/${workspace}/databases/app/imports`
  const headers = { 'usher-confirmation': operator.confirmation }
  const { value } = (await operator.send('POST', path, undefined, headers)).json()
  return value ?? operator.confirmation
}

it.for(operations)(
  '$method $path ($name) has the rights of the contract',
  async (operation, { operators }) => {
    const checked = casesOf(operation).map(async ({ holder, workspace, hasConfirmation }) => {
      const operator = operators.get(holder.name) as Confirmed
      const confirmation = hasConfirmation && (await confirmationFor(operation, operator, workspace))
      const response = await operator.send(
        operation.method as 'GET',
        urlOf(operation, workspace),
        ['GET', 'DELETE'].includes(operation.method) ? undefined : {},
        confirmation ? { 'usher-confirmation': confirmation } : {},
      )
      const role = {
        workspace: holder[workspace],
        installation: holder.installation,
        anywhere: holder.own ?? holder.installation,
      }[operation.in]
      const refusal = refusalOf(operation, { role, hasConfirmation })
      const code = response.statusCode < 300 ? undefined : response.json().code
      const isRefused = ['role_insufficient', 'step_up_required'].includes(code) || code === refusal
      const each = `${holder.name}, ${workspace}, ${hasConfirmation ? 'confirmed' : 'not confirmed'}`
      expect(response.statusCode, response.body).toBeLessThan(500)
      return [`${each}: ${refusal ?? 'allowed'}`, `${each}: ${(isRefused && code) || 'allowed'}`] as const
    })
    const outcomes = await Promise.all(checked)
    expect(outcomes.map(([, outcome]) => outcome)).toEqual(outcomes.map(([expected]) => expected))
  },
)

/** Options on which the right of a command depends. */
const variants: Record<string, { options: object; confirms?: true }[]> = {
  'user create': [{ options: { password: false } }],
  'user import': [{ options: {} }, { options: { dryRun: true } }],
  'keys rotate': [{ options: { activateIn: 3600 } }, { options: { activateIn: 600 }, confirms: true }],
  'user set-email': [{ options: {}, confirms: true }],
  ...Object.fromEntries(
    ['database set', 'database create'].map((name) => [
      name,
      [
        { options: { sessionIdle: 7200 } },
        { options: { appUrl: 'https://eve.example.com' }, confirms: true },
      ],
    ]),
  ),
}

const commands = Object.entries(commandRights).flatMap(([name, right]) =>
  (right === 'host' ? [] : (variants[name] ?? [{ options: {} }])).map(({ options, confirms }) => {
    const { operation: given, in: place } = right as Exclude<typeof right, 'host'>
    const operation = typeof given === 'function' ? given(options as never) : given
    const found = operations.filter((each) => each.name === operation)
    if (found.length !== 1) throw new Error(`${name} names no operation`)
    const [of] = found as [Operation]
    return { ...of, name, options, in: place ?? of.in, confirms: confirms ?? of.confirms }
  }),
)

it('every command has a right, or is for the host only', async () => {
  expect(Object.keys(commandRights).sort()).toEqual((await commandsUnder()).sort())
})

it.for(commands)(
  'the command $name has the rights of its operation',
  async (command, { usher, operators }) => {
    const { name, options } = command
    const checked = casesOf(command).map(async ({ holder, workspace, hasConfirmation }) => {
      const { jwt, id: operatorId, confirmation } = operators.get(holder.name) as Confirmed
      const caller = { log: usher.app.log } as unknown as RemoteCaller['caller']
      const { signal: stopping } = new AbortController()
      const by = { context: usher.context, caller, jwt, operatorId, requestId: name, stopping }
      const admit = admitCommand(by, async () => {
        if (!hasConfirmation) throw new Problem('step_up_required')
        return confirmation
      })
      const databaseName = name === 'database create' ? 'new' : 'app'
      const args = { 'workspace/name': { workspaceSlug: workspace, databaseName } }
      const isOfDatabase = command.path.includes(':workspaceSlug') && command.in === 'workspace'
      const typed = { name, options: { ...options }, args: isOfDatabase ? args : {} }
      const outcome = await admit(typed, {} as Host, async () => undefined).then(
        () => 'allowed',
        ({ code }: Problem) => code,
      )
      const role = {
        workspace: holder[workspace],
        installation: holder.installation,
        anywhere: holder.own ?? holder.installation,
      }[command.in]
      const expected = refusalOf(command, { role, hasConfirmation }) ?? 'allowed'
      const each = `${holder.name}, ${workspace}, ${hasConfirmation ? 'confirmed' : 'not confirmed'}`
      return [`${each}: ${expected}`, `${each}: ${outcome}`] as const
    })
    const outcomes = await Promise.all(checked)
    expect(outcomes.map(([, outcome]) => outcome)).toEqual(outcomes.map(([expected]) => expected))
  },
)

it('a database of a foreign workspace is neither listed nor deleted', async ({ operators, owner }) => {
  const operator = operators.get('owner of own') as Confirmed
  const headers = { 'usher-confirmation': operator.confirmation }
  const path = '/operator/workspaces/foreign/databases'
  expect((await operator.send('DELETE', `${path}/app`, undefined, headers)).statusCode).toBe(404)
  const listed = await operator.send('GET', '/operator/workspaces')
  expect(listed.json().workspaces).toMatchObject([{ slug: 'own', role: 'owner' }])
  expect((await owner.send('GET', path)).json().databases).toMatchObject([{ name: 'app' }])
})

it('a token of a user, an API key and no token are rejected', async ({ usher, owner, operators }) => {
  expect(operators.size).toBeGreaterThan(0)
  const database = await usher.newDatabase()
  const { token } = await database.signedUp()
  const codes = [token.jwt, 'usher_key', undefined].map(async (bearer) => {
    const response = await usher.inject({
      method: 'GET',
      url: '/operator/me',
      ...(bearer && { headers: { authorization: `Bearer ${bearer}` } }),
    })
    return response.json().code
  })
  expect(await Promise.all(codes)).toEqual(['token_invalid', 'token_invalid', 'token_missing'])
  // Operators change operators in the operator API only.
  const users = await owner.send('GET', '/workspaces/usher/databases/operators/management/users')
  expect(users.json().code).toBe('database_not_found')
})
