import { Scope } from '@usher/contract/management'
import { operatorRoles } from '@usher/contract/operator'
import type { TestApi, TestDatabase } from '../../support/app.js'
import { password, validUser } from '../../support/app.js'
import { it as consoleTest, type LoggedInOperator } from '../../support/console.js'
import { createApiKey, putMember } from '../../support/operator-changes.js'
import { addConnection } from '../../support/returned-login.js'
import { totpAt } from '../../support/second-factor.js'

/** A user of a database. */
export interface Person {
  jwt: string
  /** What confirms changes in this session. */
  confirmation?: string
}

/** Longer than a login without a password counts as recent. */
const longAgo = 660_000

/** Signs up users who differ in what they have and have proven, and members of a tenant by role. */
export async function signUpPeople(usher: TestApi, database: TestDatabase) {
  async function signUp(body: object = {}): Promise<Person & { id: string; tenants: string[] }> {
    const { id, token, tenants } = await database.signedUp(body)
    return { id, jwt: token.jwt, tenants }
  }
  async function signUpWithoutPassword() {
    const person = await signUp()
    const where = { databaseId: database.id, id: person.id }
    await usher.store.prisma.user.updateMany({ where, data: { passwordHash: null } })
    return person
  }
  usher.clock.now -= longAgo
  const [withPassword, stale] = [await signUp(), await signUpWithoutPassword()]
  usher.clock.now += longAgo
  const owner = await signUp({ newTenant: 'Engines' })
  const [tenantId = ''] = owner.tenants
  const members = { outsider: await signUp(), member: await signUp(), admin: await signUp(), owner }
  const operation = { store: usher.store, now: new Date(usher.clock.now) }
  for (const role of ['member', 'admin'] as const)
    await putMember(operation, database, { tenantId, userRef: members[role].id, role })
  return {
    users: {
      password: withPassword,
      stale,
      recent: await signUpWithoutPassword(),
      factor: { jwt: (await signUpWithFactor(usher, database)).jwt },
      confirmed: await signUpWithFactor(usher, database),
    } satisfies Record<string, Person>,
    members,
    tenantId,
  }
}

export type People = Awaited<ReturnType<typeof signUpPeople>>

/** Signs up a user with an authenticator app, whose confirmation is of the app and the password. */
async function signUpWithFactor({ clock }: TestApi, database: TestDatabase) {
  const { token } = await database.verifiedUser()
  const enrolled = (await database.as(token.jwt, 'POST', 'me/factors/totp', { password })).json()
  const totp = totpAt(enrolled.secret, clock.now)
  const body = { challenge: enrolled.challenge, totp }
  const added = (await database.as(token.jwt, 'POST', 'me/factors/totp/confirm', body)).json()
  return { jwt: String(added.token.jwt), confirmation: String(added.confirmation.value) }
}

export type Operator = LoggedInOperator & { confirmation: string }

/** Operators by role: in the workspace of the database, and in the installation. */
export interface Operators {
  none: Operator
  own: Operator[]
  all: Operator[]
}

/** `it` with databases in two workspaces, an operator of each role, API keys of each scope, and users. */
export const it = consoleTest
  .extend('database', { scope: 'file' }, ({ usher }) => usher.newDatabase('standard', 'own'))
  .extend('foreign', { scope: 'file' }, ({ usher }) => usher.newDatabase('standard', 'foreign'))
  .extend('operators', { scope: 'file' }, async ({ console, database, foreign: _ }): Promise<Operators> => {
    const owner = await console.owner()
    const add = (workspace: string | null, role: string, email = `${role}-of-${workspace}@example.com`) =>
      console.operator(owner, { email, workspace, role })
    const none = await add(database.workspaceSlug, 'member', 'none@example.com')
    const change = { workspace: database.workspaceSlug, role: null }
    const headers = { 'usher-confirmation': await owner.confirm() }
    await owner.send('PATCH', `/operator/operators/${none.id}`, change, headers)
    const [own, all]: LoggedInOperator[][] = [[], []]
    for (const role of operatorRoles) {
      own?.push(await add(database.workspaceSlug, role))
      all?.push(await add(null, role))
    }
    // The first confirmation would expire before the last operator is added.
    const confirm = async (operator: LoggedInOperator) =>
      Object.assign(operator, { confirmation: await operator.confirm() })
    const confirmEach = async (operators: LoggedInOperator[] = []) => {
      const confirmed: Operator[] = []
      for (const operator of operators) confirmed.push(await confirm(operator))
      return confirmed
    }
    return { none: await confirm(none), own: await confirmEach(own), all: await confirmEach(all) }
  })
  .extend('keyWith', { scope: 'file' }, ({ usher, store, database }) => {
    const keys = new Map<string, Promise<string>>()
    /** Returns an API key with exactly these scopes. */
    return (scopes: readonly Scope[], of = database) => {
      const name = `${of.id} ${scopes.join()}`
      const described = { name: 'backend', scopes: [...scopes], expiresInSeconds: 86_400 }
      const operation = { store, now: new Date(usher.clock.now) }
      const key = keys.get(name) ?? createApiKey(operation, of, described).then((created) => created.key)
      keys.set(name, key)
      return key
    }
  })
  .extend('people', { scope: 'file' }, async ({ usher, database, operators: _ }) => {
    await addConnection(usher, database.id, 'acme')
    return signUpPeople(usher, database)
  })
  .extend('stranger', { scope: 'file' }, async ({ foreign }): Promise<Person> => {
    const { token } = await foreign.signedUp()
    return { jwt: token.jwt }
  })
  .extend('takenEmail', { scope: 'file' }, async ({ database }) => {
    const { email } = validUser()
    await database.signedUp({ email })
    return email
  })

export const everyScope = Scope.options
