import type { Scope } from '@usher/contract/management'
import { createDatabase } from '../../../server/domain/management/databases.js'
import type { TestApi, TestDatabase } from '../../support/app.js'
import {
  everyScope,
  type Operator,
  type Operators,
  type People,
  type Person,
  signUpPeople,
} from './holders.js'
import { bodies, type Given, type Operation, unknownId } from './requests.js'
import type { Row } from './table.js'

/** The sign of each refusal in a cell. `+`: admitted, whatever the response is then. `.`: nothing to send. */
export const signs: Readonly<Record<string, string>> = {
  token_missing: 'T',
  token_invalid: 't',
  key_invalid: 'k',
  insufficient_scope: 's',
  role_insufficient: 'r',
  database_not_found: 'n',
  route_not_found: 'o',
  step_up_required: 'c',
  recent_login_required: 'l',
  host_only: 'h',
}

type Path = Pick<TestDatabase, 'workspaceSlug' | 'databaseName'>

interface Sent {
  bearer?: string | undefined
  confirmation?: string | undefined
  path: Path
  params?: Record<string, string>
  body?: Record<string, unknown> | undefined
}

interface Problem {
  code: string
  scope?: string | undefined
  errors?: { path: string; code: string }[]
}

/** Who sends the requests, and where. */
export interface Stage {
  usher: TestApi
  database: TestDatabase
  foreign: TestDatabase
  operators: Operators
  /** Path of the operators' database. */
  operatorsPath: Path
  keyWith: (scopes: readonly Scope[], of?: TestDatabase) => Promise<string>
  people: People
  stranger: Person
  /** A database for each setting without which operations do not exist. */
  without: Record<string, TestDatabase>
  given: Given
  /** Where the server listens. */
  origin: string
  /** A file with a user, for imports. */
  file: string
}

const doomed = 'doomed'

/** Creates a database that may be deleted, unless there is one. */
export async function ensureDoomed({ usher }: Pick<Stage, 'usher'>, workspaceSlug: string) {
  const path = { workspaceSlug, databaseName: doomed }
  const creation = { store: usher.store, now: new Date(usher.clock.now) }
  await createDatabase(creation, path, {}).catch(() => undefined)
  return path
}

/** Sends a request. Returns the problem, or undefined after a success. */
async function send({ usher }: Stage, operation: Operation, sent: Sent): Promise<Problem | undefined> {
  const { bearer, confirmation, path, params = {}, body } = sent
  const { method, isLines } = operation
  const values: Record<string, string> = { ...path, code: 'email_taken', ...params }
  const response = await usher.inject({
    method,
    url: operation.path.replace(/:(\w+)/g, (_, name) => values[name] ?? unknownId),
    headers: {
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      ...(confirmation && { 'usher-confirmation': confirmation }),
      // Nothing has this tag, so an admitted request changes nothing.
      ...(operation.name === 'changeSettings' && { 'if-match': '"none"' }),
      ...(body && { 'content-type': isLines ? 'application/x-ndjson' : 'application/json' }),
    },
    ...(body && { payload: `${JSON.stringify(body)}\n` }),
  })
  if (response.statusCode >= 500) throw new Error(`${operation.name}: ${response.body}`)
  if (response.statusCode < 400) return undefined
  // RFC 6750, section 3.
  const [, scope] = /scope="([^"]+)"/.exec(String(response.headers['www-authenticate'])) ?? []
  return { ...(response.json() as Problem), scope }
}

/** Returns the sign of an outcome. */
const signOf = (problem: Problem | undefined) => signs[problem?.code ?? ''] ?? '+'

/** Returns the sign of an outcome for a user. In other APIs an unknown tenant says that the request was admitted. */
function signForUser(problem: Problem | undefined, { optional }: Operation) {
  if (problem?.code === 'tenant_not_found') return 'x'
  const lacksPassword = problem?.errors?.some(({ path, code }) => path === 'password' && code === 'required')
  return lacksPassword && optional.includes('password') ? 'p' : signOf(problem)
}

/** Returns the body of an operation, with a field if one is given. */
async function bodyOf({ given }: Stage, { name, method }: Operation, field: Record<string, unknown> = {}) {
  if (method === 'GET' || method === 'DELETE') return undefined
  return { ...(await bodies[name]?.(given)), ...field }
}

const isOfDatabase = ({ path }: Operation) => path.includes(':workspaceSlug')

/** Returns a confirmation of an operator: for an import a permit, if the operator may begin one. */
async function confirmationFor({ usher }: Stage, { name }: Operation, operator: Operator, path: Path) {
  if (name !== 'importUsers') return operator.confirmation
  const url = `/operator/workspaces/${path.workspaceSlug}/databases/${path.databaseName}/imports`
  const headers = { authorization: `Bearer ${operator.jwt}`, 'usher-confirmation': operator.confirmation }
  const { value } = (await usher.inject({ method: 'POST', url, headers })).json()
  return value ?? operator.confirmation
}

interface ByOperators {
  operators: readonly Operator[]
  path: Path
  field?: Record<string, unknown> | undefined
}

/** Returns the sign of a request by an operator. */
async function byOperator(
  stage: Stage,
  operation: Operation,
  {
    operator,
    path,
    field,
    isConfirmed,
  }: Omit<ByOperators, 'operators'> & { operator: Operator; isConfirmed: boolean },
) {
  const isOfOperators = path === stage.operatorsPath
  const isDeletion = operation.name === 'deleteDatabase' && !isOfOperators
  const problem = await send(stage, operation, {
    bearer: operator.jwt,
    path: isDeletion ? await ensureDoomed(stage, path.workspaceSlug) : path,
    body: await bodyOf(stage, operation, field),
    ...(isConfirmed && { confirmation: await confirmationFor(stage, operation, operator, path) }),
  })
  return isOfOperators && problem?.code === 'operators_database' ? '-' : signOf(problem)
}

/** Returns the signs of a request by each of some operators with a confirmation. */
async function confirmedBy(stage: Stage, operation: Operation, { operators, ...given }: ByOperators) {
  let cell = ''
  for (const operator of operators)
    cell += await byOperator(stage, operation, { ...given, operator, isConfirmed: true })
  return cell
}

/** Returns the signs without and with a confirmation. What is admitted without one is not sent with one. */
async function bothBy(stage: Stage, operation: Operation, { operators, ...given }: ByOperators) {
  let [without, confirmed] = ['', '']
  for (const operator of operators) {
    const sign = await byOperator(stage, operation, { ...given, operator, isConfirmed: false })
    without += sign
    confirmed +=
      sign === '+' ? sign : await confirmedBy(stage, operation, { ...given, operators: [operator] })
  }
  return [without, confirmed] as const
}

/** Returns the cells of operators: without a role, with each one in the own workspace, and with each one in the installation. */
async function cellsOfOperators(stage: Stage, operation: Operation): Promise<Row> {
  const { database, foreign, operators, operatorsPath } = stage
  const { none, own, all } = operators
  const isIn = isOfDatabase(operation)
  const [ofOwn, confirmedOfOwn] = await bothBy(stage, operation, { operators: own, path: database })
  const [ofAll, confirmedOfAll] = await bothBy(stage, operation, { operators: all, path: foreign })
  const confirmed = (some: readonly Operator[], path: Path) =>
    confirmedBy(stage, operation, { operators: some, path })
  return {
    none: await confirmed([none], database),
    own: ofOwn,
    'own confirmed': confirmedOfOwn,
    foreign: isIn ? await confirmed(own, foreign) : '.',
    all: ofAll,
    'all confirmed': confirmedOfAll,
    operators: isIn ? await confirmed(all.slice(-1), operatorsPath) : '.',
  }
}

const credentialsOf = async ({ people, keyWith, operators }: Stage) => ({
  nobody: undefined,
  user: people.users.password.jwt,
  key: await keyWith(everyScope),
  operator: operators.all.at(-1)?.jwt,
})

/** Returns the row of an operation of the operator API. */
export async function operatorRow(stage: Stage, operation: Operation): Promise<Row> {
  const { nobody, user, key } = await credentialsOf(stage)
  const by = async (bearer: string | undefined) =>
    signOf(
      await send(stage, operation, { bearer, path: stage.database, body: await bodyOf(stage, operation) }),
    )
  return {
    operation: operation.name,
    nobody: await by(nobody),
    user: await by(user),
    key: await by(key),
    ...(await cellsOfOperators(stage, operation)),
  }
}

/** Returns the scopes that an API key needs for a request, as the refusals name them. */
async function neededScopes(stage: Stage, operation: Operation, field?: Record<string, unknown>) {
  const scopes: Scope[] = []
  for (;;) {
    const body = await bodyOf(stage, operation, field)
    const bearer = await stage.keyWith(scopes)
    const problem = await send(stage, operation, { bearer, path: stage.database, body })
    const missing = problem?.code === 'insufficient_scope' ? (problem.scope as Scope) : undefined
    if (!missing || scopes.includes(missing))
      return scopes.join(' + ') + (signOf(problem) === '+' ? '' : signOf(problem))
    scopes.push(missing)
  }
}

/** Returns the row of an operation of the management API. */
export async function managementRow(stage: Stage, operation: Operation): Promise<Row> {
  const { database, foreign, keyWith } = stage
  const { nobody, user, key } = await credentialsOf(stage)
  const by = async (bearer: string | undefined) =>
    signOf(await send(stage, operation, { bearer, path: database, body: await bodyOf(stage, operation) }))
  const admitting: string[] = []
  for (const scope of everyScope) if ((await by(await keyWith([scope]))) === '+') admitting.push(scope)
  const isPublic = admitting.length === everyScope.length
  return {
    operation: operation.name,
    nobody: await by(nobody),
    user: await by(user),
    key: await by(key),
    'foreign key': await by(await keyWith(everyScope, foreign)),
    'each scope': (isPublic ? '+' : admitting.join(' ')) || '-',
    scopes: isPublic ? '.' : await neededScopes(stage, operation),
    ...(await cellsOfOperators(stage, operation)),
  }
}

/** Returns the row of a field, which belongs to the base row of its operation. */
export async function fieldRow(
  stage: Stage,
  { operation, field, row }: { operation: Operation; field: Record<string, unknown>; row: string },
): Promise<Row> {
  const { database, operators } = stage
  const [own, confirmed] = await bothBy(stage, operation, { operators: operators.own, path: database, field })
  return {
    field: row,
    scopes: operation.path.startsWith('/operator') ? '.' : await neededScopes(stage, operation, field),
    own,
    'own confirmed': confirmed,
  }
}

/** Operations that end sessions or delete something, which therefore get users of their own. */
const consuming = [
  'endAllSessions',
  'endOtherSessions',
  'changePassword',
  'deleteMe',
  'setSecondFactor',
  'deleteTenant',
]

/** Returns the row of an operation of the public API. */
export async function publicRow(stage: Stage, operation: Operation): Promise<Row> {
  const { usher, database, stranger, without } = stage
  const people = consuming.includes(operation.name) ? await signUpPeople(usher, database) : stage.people
  const body = () => bodyOf(stage, operation)
  const by = async (bearer: string | undefined, path: Path = database) =>
    signForUser(await send(stage, operation, { bearer, path, body: await body() }), operation)
  async function byPerson({ jwt: bearer, confirmation }: Person, params: Record<string, string> = {}) {
    const more = confirmation && operation.optional.includes('confirmation') && { confirmation }
    const sent = { bearer, path: database, params, body: (await body()) && { ...(await body()), ...more } }
    return signForUser(await send(stage, operation, sent), operation)
  }
  const cells = async (some: Record<string, Person>, params?: Record<string, string>) => {
    const row: Row = {}
    for (const [name, person] of Object.entries(some)) row[name] = await byPerson(person, params)
    return row
  }
  const ofSettings: Row = {}
  for (const [name, path] of Object.entries(without))
    ofSettings[`no ${name}`] = isOfDatabase(operation) ? await by(undefined, path) : '.'
  const { nobody, key, operator } = await credentialsOf(stage)
  const { tenantId, members, users } = people
  const ofMembers = operation.path.includes(':tenantId') ? await cells(members, { tenantId }) : { all: '.' }
  return {
    operation: operation.name,
    nobody: await by(nobody),
    key: await by(key),
    operator: await by(operator),
    foreign: await by(stranger.jwt),
    ...(await cells(users)),
    tenant: Object.values(ofMembers).join(''),
    ...ofSettings,
  }
}
