import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'vitest'
import { accountOperations } from './account-operations.js'
import { type DatabaseModel, type UserModel, userOfToken, userWithId, type WorldModel } from './model.js'
import { expectSignedIn, type Operation, pickOf, removeUser, revoke } from './operation.js'
import { paths, type World } from './world.js'

const databasesOf = ({ model }: World) => [...model.databases.values()]
const usersOf = (world: World) => databasesOf(world).flatMap(({ users }) => [...users.values()])

const signUp: Operation = async (world, choice) => {
  const { path, email, password, newTenant, idempotencyKey: key } = choice
  const response = await world.send('POST', `${path}/users`, {
    payload: { email, password, ...(newTenant && { newTenant }) },
    headers: key ? { 'idempotency-key': key } : {},
  })
  const database = world.model.databases.get(path)
  if (!database) return expect(response.json().code).toBe('database_not_found')
  const before = key ? database.signUps.get(key) : undefined
  if (before) {
    const user = userWithId(database, before.userId)
    const isSame = before.email === email && before.newTenant === newTenant && user?.password === password
    if (!user || user.isDisabled || !isSame)
      return expect(response.json().code).toBe('idempotency_key_reused')
    return expectSignedIn(world, database, user, response, 201)
  }
  if (database.users.has(email)) return expect(response.json().code).toBe('email_taken')
  const { id, tenants } = response.json()
  const known = databasesOf(world).flatMap((each) => [...each.tenants])
  expect(usersOf(world).map((user) => user.id)).not.toContain(id)
  expect(tenants.filter((tenant: string) => known.includes(tenant))).toEqual([])
  expect(tenants).toHaveLength(newTenant ? 1 : 0)
  for (const tenant of tenants) database.tenants.add(tenant)
  const user = newUser({ id, email, password, tenants })
  database.users.set(email, user)
  if (key) database.signUps.set(key, { userId: id, email, newTenant })
  expectSignedIn(world, database, user, response, 201)
}

const newUser = (user: Pick<UserModel, 'id' | 'email' | 'password' | 'tenants'>): UserModel => ({
  ...user,
  preferredName: null,
  isDisabled: false,
  isVerified: false,
})

const logIn: Operation = async (world, { path, email, password }) => {
  const response = await world.send('POST', `${path}/users/login`, { payload: { email, password } })
  const database = world.model.databases.get(path)
  if (!database) return expect(response.json().code).toBe('database_not_found')
  const user = database.users.get(email)
  if (user?.password === password && !user.isDisabled) {
    return expectSignedIn(world, database, user, response, 200)
  }
  expect(response.json().code).toBe('invalid_credentials')
}

/** Uses a token at every existing or deleted database. */
const meEverywhere: Operation = async (world, { pick }) => {
  const token = pickOf(world.model.tokens, pick)
  if (!token) return
  for (const path of paths) {
    const headers = { authorization: `Bearer ${token.jwt}` }
    const response = await world.send('GET', `${path}/users/me`, { headers })
    const database = world.model.databases.get(path)
    const user = database && userOfToken(world.model, database, token)
    expect(response.statusCode, `${path} ${response.body}`).toBe(user ? 200 : database ? 401 : 404)
    if (user) {
      const { id, email, tenants, preferredName, isVerified } = user
      const expected = { id, email, tenants, preferredName, emailVerified: isVerified }
      expect(response.json()).toMatchObject(expected)
    }
  }
}

/** Changes a user by email, or by an id that may belong to another database. */
const changeUser =
  (
    command: string,
    change: (model: WorldModel, database: DatabaseModel, user: UserModel) => void,
  ): Operation =>
  async (world, { path, email, password, pick }) => {
    const id = pick % 2 ? pickOf(usersOf(world), pick)?.id : undefined
    const input = command === 'set-password' ? `${password}\n` : undefined
    const { code, stderr } = await world.operate(`user ${command} ${path} ${id ?? email}`, input)
    const database = world.model.databases.get(path)
    const user = database && (id ? userWithId(database, id) : database.users.get(email))
    if (!user) {
      expect(code).toBe(3)
      return expect(stderr).toMatch(database ? /user .* does not exist/ : /database .* does not exist/)
    }
    expect(code, stderr).toBe(0)
    change(world.model, database, user)
  }

/** Adds a user to a tenant or removes it. Both may belong to other databases. */
const changeTenant =
  (command: 'add-user' | 'remove-user'): Operation =>
  async (world, { path, email, pick }) => {
    const all = databasesOf(world).flatMap(({ tenants }) => [...tenants])
    const tenant = pickOf(all, pick)
    if (!tenant) return
    const { code, stderr } = await world.operate(`tenant ${command} ${path} ${tenant} ${email}`)
    const database = world.model.databases.get(path)
    const user = database?.users.get(email)
    const isMember = user?.tenants.includes(tenant)
    if (!database?.tenants.has(tenant) || !user || (command === 'remove-user' && !isMember)) {
      expect(code).toBe(3)
      return expect(stderr).toMatch(/(database|user|tenant) .* does not exist|is not a member of tenant/)
    }
    expect(code, stderr).toBe(0)
    if (command === 'remove-user') user.tenants = user.tenants.filter((each) => each !== tenant)
    else if (!isMember) user.tenants = [...user.tenants, tenant]
  }

const createUser: Operation = async (world, { path, email, password }) => {
  const { code, stderr, value } = await world.operate(`user create ${path} ${email}`, password)
  const database = world.model.databases.get(path)
  if (!database || database.users.has(email)) {
    expect(code).toBe(database ? 4 : 3)
    return expect(stderr).toMatch(/database .* does not exist|user .* already exists/)
  }
  expect(value, stderr).toMatchObject({ email })
  database.users.set(email, newUser({ id: value.id, email, password, tenants: [] }))
}

const createTenant: Operation = async (world, { path }) => {
  const { code, value } = await world.operate(`tenant create ${path} Engines`)
  const database = world.model.databases.get(path)
  expect(code).toBe(database ? 0 : 1)
  database?.tenants.add(value.id)
}

/** Deletes a tenant that may belong to another database, or renames it. */
const deleteOrRenameTenant: Operation = async (world, { path, newTenant, pick }) => {
  const all = databasesOf(world).flatMap(({ tenants }) => [...tenants])
  const tenant = pickOf(all, pick)
  if (!tenant) return
  const command = newTenant
    ? `tenant rename ${path} ${tenant} ${newTenant}`
    : `tenant delete ${path} ${tenant} --yes`
  const { code, stderr } = await world.operate(command)
  const database = world.model.databases.get(path)
  if (!database?.tenants.has(tenant)) {
    expect(code).toBe(3)
    return expect(stderr).toMatch(/(database|tenant) .* does not exist/)
  }
  expect(code, stderr).toBe(0)
  if (newTenant) return
  database.tenants.delete(tenant)
  for (const user of database.users.values()) user.tenants = user.tenants.filter((each) => each !== tenant)
}

const rotate: Operation = async (world, { path }) => {
  const { code, value } = await world.operate(`keys rotate ${path} --activate-in 0`)
  const database = world.model.databases.get(path)
  expect(code).toBe(database ? 0 : 1)
  database?.kids.add(value.kid)
}

/** Retires a key that may belong to another database. */
const retire: Operation = async (world, { path, pick }) => {
  const kid = pickOf(
    databasesOf(world).flatMap(({ kids }) => [...kids]),
    pick,
  )
  const { code } = await world.operate(`keys retire ${path} ${kid}`)
  const database = world.model.databases.get(path)
  const isOwn = database !== undefined && kid !== undefined && database.kids.has(kid)
  const canRetire = isOwn && database.kids.size > 1
  expect(code).toBe(canRetire ? 0 : 1)
  if (canRetire) database.kids.delete(kid)
}

const createOrDelete: Operation = async (world, { path }) => {
  if (!world.model.databases.has(path)) return world.createDatabase(path)
  const { users } = world.model.databases.get(path) as DatabaseModel
  const [slug] = path.split('/')
  expect((await world.operate(`workspace delete ${slug}`)).code).toBe(1)
  expect((await world.operate(`database create ${path}`)).code).toBe(4)
  const { value } = await world.operate(`database delete ${path} --yes`)
  expect(value.users).toBe(users.size)
  world.model.databases.delete(path)
}

/** Imports the users of one database into another. They keep ids and passwords, but tokens remain invalid there. */
const move: Operation = async (world, { path, other }) => {
  const from = world.model.databases.get(path)
  const to = world.model.databases.get(other)
  const file = join(world.folder, `${randomUUID()}.ndjson`)
  const exported = await world.operate(`user export ${path} -o ${file}`)
  expect(exported.code).toBe(from ? 0 : 3)
  if (!from) return
  expect(exported.value.users).toBe(from.users.size)
  const imported = await world.operate(`user import ${other} ${file}`)
  expect(imported.code, imported.stderr).toBe(to ? 0 : 3)
  if (!to) return
  const added = [...from.users.values()].filter(({ email }) => !to.users.has(email))
  expect(imported.value).toMatchObject({ added: added.length, alreadyThere: from.users.size - added.length })
  for (const user of added) {
    to.users.set(user.email, { ...user })
    for (const tenant of user.tenants) to.tenants.add(tenant)
  }
}

/** Compares all output of the command line and discovery with the model. */
const inspect: Operation = async (world, { path }) => {
  const database = world.model.databases.get(path)
  const discovered = await world.send('GET', `${path}/.well-known/jwks.json`)
  if (!database) {
    expect((await world.operate(`user list ${path}`)).code).toBe(3)
    return expect(discovered.statusCode).toBe(404)
  }
  const kids = discovered.json().keys.map(({ kid }: { kid: string }) => kid)
  expect(new Set(kids)).toEqual(database.kids)
  const ids = (rows: { id: string }[]) => rows.map(({ id }) => id).sort()
  const users = [...database.users.values()]
  expect(ids(await world.usher.rows(`user list ${path}`))).toEqual(ids(users))
  const tenants = await world.usher.rows(`tenant list ${path}`)
  expect(ids(tenants)).toEqual([...database.tenants].sort())
  for (const { id, users: count } of tenants) {
    expect(count).toBe(users.filter((user) => user.tenants.includes(id)).length)
  }
}

/** Operations of clients and operators, by name. */
export const operations: Record<string, Operation> = {
  signUp,
  logIn,
  meEverywhere,
  ...accountOperations,
  disable: changeUser('disable', (model, database, user) => {
    user.isDisabled = true
    revoke(model, database, user)
  }),
  enable: changeUser('enable', (_model, _database, user) => {
    user.isDisabled = false
  }),
  revoke: changeUser('revoke-tokens', revoke),
  unlock: changeUser('unlock', () => undefined),
  setPassword: async (world, choice) =>
    changeUser('set-password', (model, database, user) => {
      user.password = choice.password
      revoke(model, database, user)
    })(world, choice),
  remove: changeUser('delete --yes', removeUser),
  join: changeTenant('add-user'),
  leave: changeTenant('remove-user'),
  createUser,
  createTenant,
  deleteOrRenameTenant,
  rotate,
  retire,
  createOrDelete,
  move,
  inspect,
}
