import { createHash, randomUUID } from 'node:crypto'
import type { Operator } from '@usher/contract/operator'
import type { OperatorOperation, ReplyOf } from './contract-routes.js'
import { apiKeyOf, type Memory, type StubDatabase, stubDatabase, timeOf } from './memory.js'

/** A request to the stub. */
export interface StubCall {
  params: Record<string, string>
  query: Record<string, string>
  body: Record<string, unknown>
  ifMatch: string | undefined
  operator: Operator
  isConfirmed: boolean
}

/** A problem that the stub returns. */
export class StubProblem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly title: string,
    detail = '',
  ) {
    super(detail)
  }
}

/** What the stub needs of the server that has the operators. */
export interface Accounts {
  /** Creates an operator. Returns its ID, and the code to choose a password, unless one is given. */
  add(email: string, password?: string): Promise<{ id: string; code: string | undefined }>
  remove(id: string): Promise<void>
  firstCode: string
  url: string
}

type Handlers = { [Name in OperatorOperation]: (call: StubCall) => ReplyOf<Name> | Promise<ReplyOf<Name>> }

const confirmed = () => new StubProblem(401, 'step_up_required', 'Confirmation is required')
const refused = (detail: string) =>
  new StubProblem(409, 'refused', 'Current state does not allow the request', detail)

/** Returns the ETag of the settings of a database. */
export const etagOf = (value: unknown) =>
  `"${createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)}"`

const valuesOf = ({ settings }: StubDatabase) =>
  Object.fromEntries(settings.map(({ name, value }) => [name, value]))
export const settingsOf = (database: StubDatabase) => ({
  settings: database.settings,
  values: valuesOf(database),
})

/** Returns the items whose names begin with a text, as a page. */
function page<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  { prefix = '', after = '', limit = '50' },
) {
  const found = items
    .filter((item) => nameOf(item).startsWith(prefix) && nameOf(item) > after)
    .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  const shown = found.slice(0, Number(limit))
  return { shown, next: found.length > shown.length ? nameOf(shown.at(-1) as Item) : null }
}

/** Returns the operations of the operator API, in memory. */
export function stubOperations(memory: Memory, accounts: Accounts): Handlers {
  const at = () => timeOf(memory.now())
  const workspaceOf = ({ params }: StubCall) => {
    const workspace = memory.workspaces.get(params.workspaceSlug ?? '')
    if (!workspace) throw new StubProblem(404, 'database_not_found', 'Database not found')
    return workspace
  }
  const databaseOf = (call: StubCall) => {
    const database = workspaceOf(call).databases.get(call.params.databaseName ?? '')
    if (!database) throw new StubProblem(404, 'database_not_found', 'Database not found')
    return database
  }
  const roleIn = ({ rights }: Operator, slug: string) =>
    rights.find(({ workspace }) => workspace === null || workspace === slug)?.role
  const operatorOf = ({ params }: StubCall) => {
    const operator = memory.operators.get(params.operatorId ?? '')
    if (!operator) throw new StubProblem(404, 'user_not_found', 'User not found')
    return operator
  }
  const isLastOwner = (operator: Operator) =>
    ![...memory.operators.values()].some(
      ({ id, rights }) =>
        id !== operator.id && rights.some(({ workspace, role }) => workspace === null && role === 'owner'),
    )
  async function add(email: string, right: Operator['rights'][number], password?: string) {
    const { id, code } = await accounts.add(email, password)
    const operator: Operator = { id, email, preferredName: null, rights: [right], joinedAt: at() }
    memory.operators.set(id, operator)
    return { operator, code }
  }

  return {
    getConsole: () => ({
      workspace: 'usher',
      database: 'operators',
      hasOperators: memory.operators.size > 0,
      version: '0.3.0',
    }),
    async createFirstOperator({ body }) {
      if (body.code !== accounts.firstCode || memory.operators.size > 0)
        throw new StubProblem(400, 'code_invalid', 'Code is invalid', 'The code is used or expired.')
      return (await add(String(body.email), { workspace: null, role: 'owner' }, String(body.password)))
        .operator
    },
    getOperator: ({ operator }) => operator,
    listOperators: () => ({ operators: [...memory.operators.values()] }),
    async addOperator({ body }) {
      const right = { workspace: body.workspace as string | null, role: body.role as 'member' }
      const { operator, code } = await add(String(body.email), right)
      return { operator, link: `${accounts.url}/console/reset-password#code=${code}` }
    },
    changeOperator(call) {
      const operator = operatorOf(call)
      const { workspace, role } = call.body as { workspace: string | null; role: 'owner' | null }
      if (role !== 'owner' && workspace === null && isLastOwner(operator))
        throw refused('The installation needs an owner.')
      operator.rights = [
        ...operator.rights.filter((right) => right.workspace !== workspace),
        ...(role ? [{ workspace, role }] : []),
      ]
      return operator
    },
    async removeOperator(call) {
      const operator = operatorOf(call)
      if (isLastOwner(operator)) throw refused('The installation needs an owner.')
      await accounts.remove(operator.id)
      memory.operators.delete(operator.id)
      return undefined
    },
    listActions: ({ query }) => ({
      actions: memory.actions
        .filter(({ operatorId }) => !query.operatorId || operatorId === query.operatorId)
        .toReversed()
        .slice(0, 50),
      next: null,
    }),

    listWorkspaces({ query, operator }) {
      const mine = [...memory.workspaces].filter(([slug]) => roleIn(operator, slug))
      const { shown, next } = page(mine, ([slug]) => slug, query)
      return {
        workspaces: shown.map(([slug, { createdAt, databases }]) => ({
          slug,
          createdAt,
          databases: databases.size,
          role: roleIn(operator, slug) ?? 'member',
        })),
        next,
      }
    },
    createWorkspace({ body }) {
      const slug = String(body.slug)
      if (memory.workspaces.has(slug)) throw refused(`There is a workspace ${slug}.`)
      memory.workspaces.set(slug, { createdAt: at(), databases: new Map() })
      return { slug, databases: 0, role: 'owner', createdAt: at() }
    },
    listDatabases(call) {
      const { shown, next } = page([...workspaceOf(call).databases], ([name]) => name, call.query)
      return { databases: shown.map(([name, database]) => infoOf(name, database)), next }
    },
    createDatabase(call) {
      const name = String(call.body.name)
      const created = { ...stubDatabase(memory.now(), true), createdAt: at() }
      workspaceOf(call).databases.set(name, created)
      return infoOf(name, created)
    },
    deleteDatabase(call) {
      const database = databaseOf(call)
      database.deletions += 1
      const isDone = database.deletions > 1
      if (isDone) workspaceOf(call).databases.delete(call.params.databaseName ?? '')
      return { isDone }
    },
    getStatistics(call) {
      const { days, users } = databaseOf(call)
      return { days: days.slice(-Number(call.query.days ?? 30)), users, countedAt: at() }
    },
    getSettings: (call) => settingsOf(databaseOf(call)),
    changeSettings(call) {
      const database = databaseOf(call)
      const changes = call.body.settings as Record<string, unknown>
      if (call.ifMatch && call.ifMatch !== etagOf(valuesOf(database)))
        throw new StubProblem(412, 'precondition_failed', 'Resource has changed')
      const isDangerous = database.settings.some(({ name, confirms }) => confirms && name in changes)
      if (isDangerous && !call.isConfirmed) throw confirmed()
      for (const setting of database.settings)
        if (setting.name in changes) setting.value = changes[setting.name]
      return settingsOf(database)
    },

    listKeys: (call) => ({ keys: databaseOf(call).keys }),
    rotateKeys(call) {
      const inAnHour = timeOf(memory.now() + 3_600_000)
      const next = {
        kid: randomUUID().slice(0, 16),
        algorithm: 'ES256',
        state: 'next' as const,
        activatesAt: inAnHour,
        retiresAt: null,
      }
      databaseOf(call).keys.unshift(next)
      return next
    },
    retireKey(call) {
      const key = databaseOf(call).keys.find(({ kid }) => kid === call.params.kid)
      if (!key) throw refused('The key is not one of the database.')
      return Object.assign(key, { state: 'retired' as const, retiresAt: at() })
    },
    listApiKeys: (call) => ({ apiKeys: databaseOf(call).apiKeys }),
    createApiKey(call) {
      const created = apiKeyOf(String(call.body.name), call.body.scopes as string[], memory.now(), null)
      databaseOf(call).apiKeys.push(created)
      return { ...created, key: secretOf(created.ending) }
    },
    rotateApiKey(call) {
      const { apiKeys } = databaseOf(call)
      const former = apiKeys.find(({ id }) => id === call.params.apiKeyId)
      if (!former) throw refused('The key was revoked.')
      former.rotatedAt = at()
      const successor = apiKeyOf(former.name, former.scopes, memory.now(), null)
      apiKeys.push(successor)
      return { ...successor, key: secretOf(successor.ending) }
    },
    revokeApiKey(call) {
      const database = databaseOf(call)
      database.apiKeys = database.apiKeys.filter(({ id }) => id !== call.params.apiKeyId)
      return undefined
    },

    listConnectionDetails: (call) => ({ connections: databaseOf(call).connections }),
    checkConnection(call) {
      if (!databaseOf(call).connections.find(({ name }) => name === call.params.connection)?.isEnabled)
        throw refused('The provider does not know the client ID.')
      return undefined
    },
    listDeliveries: (call) => ({
      deliveries: databaseOf(call).deliveries.filter(
        ({ nextAt }) => call.query.waiting !== 'true' || nextAt === null,
      ),
      next: null,
    }),
    retryDeliveries(call) {
      const chosen = chosenOf(databaseOf(call), call.body.id)
      for (const each of chosen) Object.assign(each, { nextAt: at(), attempts: 0 })
      return { messages: chosen.length }
    },
    dropDeliveries(call) {
      const database = databaseOf(call)
      const chosen = chosenOf(database, call.body.id)
      database.deliveries = database.deliveries.filter((each) => !chosen.includes(each))
      return { messages: chosen.length }
    },
  }
}

const secretOf = (ending: string) => `usher_${'k7Qd'.repeat(8)}${ending}`
const chosenOf = ({ deliveries }: StubDatabase, id: unknown) =>
  deliveries.filter((each) => (id ? each.id === id : each.nextAt === null))

const infoOf = (name: string, { settings, createdAt, deletions }: StubDatabase) => ({
  name,
  appUrl: (settings.find((setting) => setting.name === 'appUrl')?.value ?? null) as string | null,
  isBeingDeleted: deletions > 0,
  createdAt,
})
