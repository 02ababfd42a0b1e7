import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { password, validUser } from '../support/app.js'
import { auditRecords } from '../support/audit.js'
import { it } from '../support/management.js'
import { setDatabase } from '../support/operator-changes.js'
import { keptEvents } from '../support/tenants.js'
import { writtenCode } from '../support/written-mails.js'

/** A bcrypt hash of `password`. */
const bcrypt = '$2b$05$A0.H0IKA3qZpMuZIDUSNfeAiI2xFAjBP93K0JaT4DuL8zwY9MBvMK'

const once = (key: string) => ({ 'idempotency-key': key })

describe('addUser', () => {
  it('adds a user with a password and tenants, who can log in', async ({ usher, manage }) => {
    const { database } = manage
    const other = await database.signedUp({ newTenant: 'Engines' })
    const second = await database.signedUp({ newTenant: 'Compilers' })
    const tenants = [...second.tenants, ...other.tenants].map((id) => ({ id }))
    const { key, id: apiKey } = await manage.newKey()
    const body = { email: 'Ada@example.com', password, preferredName: 'Ada', emailVerified: true, tenants }
    const added = await manage.send(key, 'POST', 'users', body)
    expect(added.statusCode).toBe(201)
    expect(added.json()).toMatchObject({
      email: 'Ada@example.com',
      preferredName: 'Ada',
      emailVerified: true,
    })
    expect(added.json().memberships.map(({ name }: { name: string }) => name)).toEqual([
      'Compilers',
      'Engines',
    ])
    expect((await manage.send(key, 'GET', `users/${added.json().id}`)).json()).toEqual(added.json())
    expect((await database.login({ email: 'ada@example.com', password })).statusCode).toBe(200)
    const audited = auditRecords(usher).filter(({ audit }) => audit === 'user.created')
    expect(audited.at(-1)).toMatchObject({ userId: added.json().id, apiKey })
  })

  it('writes events with the key that has caused them', async ({ usher, store, manage }) => {
    const { database } = manage
    await setDatabase(store, database, { eventsKept: 1 })
    const { key, id: apiKey } = await manage.newKey()
    const added = await manage.send(key, 'POST', 'users', { email: 'ada@example.com' })
    expect(await keptEvents(usher, database.id)).toEqual([
      { type: 'user.created', userId: added.json().id, apiKey },
    ])
  })

  it('adds a user with the hash of another system, who can log in', async ({ manage }) => {
    const { database } = manage
    const { key } = await manage.newKey()
    const email = 'ada@example.com'
    const added = await manage.send(key, 'POST', 'users', { email, passwordHash: bcrypt })
    expect(added.statusCode).toBe(201)
    expect((await database.login({ email, password: 'correct horse battery' })).statusCode).toBe(200)
  })

  it('adds a user without a password, and sends a code to choose one', async ({ usher, store, manage }) => {
    const { database } = manage
    const { key } = await manage.newKey(['users:write'])
    const body = { email: 'ada@example.com', sendMail: true }
    const refused = await manage.send(key, 'POST', 'users', body)
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'app_url_missing'])
    expect(refused.json().detail).toBe('The database has no app URL.')
    await setDatabase(store, database, { appUrl: 'https://app.example.com' })
    usher.clock.cacheAhead += 6_000
    usher.forgetLog()
    expect((await manage.send(key, 'POST', 'users', body)).statusCode).toBe(201)
    await writtenCode(usher, body.email, 'reset-password')
    expect((await database.login({ email: body.email, password })).statusCode).toBe(401)
  })

  it.for([
    ['password', 'credentials:write', { password }],
    ['passwordHash', 'credentials:write', { passwordHash: bcrypt }],
    ['emailVerified', 'credentials:write', { emailVerified: true }],
    ['tenants', 'tenants:write', { tenants: [] }],
  ] as const)('needs for %s the scope %s, which the response names', async ([, scope, field], { manage }) => {
    const { key } = await manage.newKey(['users:read', 'users:write', 'sessions:write', 'tenants:read'])
    const response = await manage.send(key, 'POST', 'users', { email: 'ada@example.com', ...field })
    expect([response.statusCode, response.json().code]).toEqual([403, 'insufficient_scope'])
    expect(response.headers['www-authenticate']).toContain(`scope="${scope}"`)
  })

  it('returns all field errors in one response, with those of the password policy', async ({ manage }) => {
    const { key } = await manage.newKey()
    const body = {
      email: 'ada',
      password: 'short',
      admin: true,
      tenants: [{ id: '1' }],
      emailVerified: 'yes',
    }
    const { statusCode, body: text } = await manage.send(key, 'POST', 'users', body)
    const paths = JSON.parse(text).errors.map(({ path }: { path: string }) => path)
    expect([statusCode, paths.sort()]).toEqual([
      400,
      ['', 'email', 'emailVerified', 'password', 'tenants.0.id'],
    ])
  })

  it('returns field errors of a password, of a hash and of the mail together', async ({ manage }) => {
    const { key } = await manage.newKey()
    const body = { email: 'ada@example.com', password: 'password', passwordHash: 'md5', sendMail: true }
    const { errors } = (await manage.send(key, 'POST', 'users', body)).json()
    expect(errors.map(({ path, detail }: { path: string; detail: string }) => `${path} ${detail}`)).toEqual([
      'password must not be a common password',
      'passwordHash must not be given with `password`',
      'passwordHash has an unknown format',
      'sendMail must not be true for a user with a password',
    ])
  })

  it.for(['users', 'users/import'])(
    'limits the cost of a failed login when 15 hashes come to %s concurrently',
    async (path, { store, usher, manage }) => {
      const { database, newKey } = manage
      const { key } = await newKey(['users:write', 'credentials:write'])
      const add = (index: number) => {
        const passwordHash = `$pbkdf2-sha256$i=${1_600_000 + index}$AAAA$${'A'.repeat(42)}E`
        return usher.send({
          method: 'POST',
          url: database.users.replace(/users$/, `management/${path}`),
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': path === 'users' ? 'application/json' : 'application/x-ndjson',
          },
          payload: JSON.stringify({ email: `user${index}@example.com`, passwordHash }),
        })
      }
      const responses = await Promise.all(Array.from({ length: 15 }, (_, index) => add(index)))
      const refusals = responses.filter(({ body }) =>
        body.includes('has one set of hash parameters too many'),
      )
      expect(refusals).toHaveLength(11)
      const where = { databaseId: database.id }
      expect(await store.prisma.hashParameters.count({ where })).toBe(4)
      expect(await store.prisma.user.count({ where })).toBe(4)
    },
  )

  it('refuses a tenant that is given twice, whose role would be ambiguous', async ({ store, manage }) => {
    const { key } = await manage.newKey()
    const { tenants: ids } = await manage.database.signedUp({ newTenant: 'Engines' })
    const [id = ''] = ids
    const tenants = [{ id, role: 'owner' }, { id: id.toUpperCase() }]
    const response = await manage.send(key, 'POST', 'users', { email: 'ada@example.com', tenants })
    expect([response.statusCode, response.json().errors]).toEqual([
      400,
      [{ path: 'tenants.1.id', code: 'invalid_type', detail: 'must not be the ID of an earlier tenant' }],
    ])
    expect(await store.prisma.user.count({ where: { databaseId: manage.database.id } })).toBe(1)
  })

  it('stores nothing if a tenant does not exist', async ({ store, manage }) => {
    const { key } = await manage.newKey()
    const body = { email: 'ada@example.com', tenants: [{ id: randomUUID() }] }
    const response = await manage.send(key, 'POST', 'users', body, once('missing tenant'))
    expect(response.json().code).toBe('tenant_not_found')
    const where = { databaseId: manage.database.id }
    expect(await store.prisma.user.count({ where })).toBe(0)
    expect(await store.prisma.apiRequest.count({ where })).toBe(0)
  })

  it('and concurrent sign-ups with one address create one user', async ({ store, manage }) => {
    const { database } = manage
    const { key } = await manage.newKey()
    const user = validUser({ email: 'race@example.com' })
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        n % 2 ? database.createUser(user) : manage.send(key, 'POST', 'users', user),
      ),
    )
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([201, ...Array(7).fill(409)])
    expect(await store.prisma.user.count({ where: { databaseId: database.id } })).toBe(1)
  })
})

describe('an Idempotency-Key of the management API', () => {
  it('returns the first response again and changes nothing, until 24 hours have passed', async ({
    usher,
    store,
    manage,
    clock,
  }) => {
    const { key } = await manage.newKey()
    const add = () => manage.send(key, 'POST', 'users', { email: 'ada@example.com', password }, once('again'))
    const first = await add()
    clock.now += 3_000_000
    const again = await add()
    expect([again.statusCode, again.body]).toEqual([first.statusCode, first.body])
    const where = { databaseId: manage.database.id }
    expect(await store.prisma.user.count({ where })).toBe(1)
    const ofUser = auditRecords(usher).filter(({ userId }) => userId === first.json().id)
    expect(ofUser.filter(({ audit }) => audit === 'user.created')).toHaveLength(1)
    await store.prisma.apiRequest.updateMany({ where, data: { createdAt: new Date(clock.now - 86_400_001) } })
    expect((await add()).json().code).toBe('email_taken')
    expect(await store.prisma.apiRequest.count({ where })).toBe(0)
  })

  it('with another request is refused and stores nothing', async ({ store, manage }) => {
    const { key } = await manage.newKey()
    const add = (body: object) => manage.send(key, 'POST', 'users', body, once('other'))
    await add({ email: 'ada@example.com', password })
    for (const other of [
      { email: 'grace@example.com', password },
      { email: 'ada@example.com', password: `${password} 2` },
      { email: 'ada@example.com' },
    ]) {
      const { statusCode, body } = await add(other)
      expect([statusCode, JSON.parse(body).code]).toEqual([422, 'idempotency_key_reused'])
    }
    expect(await store.prisma.user.count({ where: { databaseId: manage.database.id } })).toBe(1)
  })

  it('belongs to one API key, and is apart from the keys of sign-ups', async ({ usher, manage }) => {
    const { database } = manage
    const [one, other] = [await manage.newKey(), await manage.newKey()]
    const add = (key: string) => manage.send(key, 'POST', 'users', validUser(), once('shared'))
    const signUp = () =>
      usher.send({ method: 'POST', url: database.users, payload: validUser(), headers: once('shared') })
    const responses = [await add(one.key), await add(other.key), await signUp()]
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([201, 201, 201])
  })

  it('is stored with the change or not at all', async ({ store, manage }) => {
    const { database } = manage
    const { key } = await manage.newKey()
    await database.signedUp({ email: 'ada@example.com' })
    const add = (email: string) => manage.send(key, 'POST', 'users', { email }, once('unused'))
    expect((await add('ada@example.com')).json().code).toBe('email_taken')
    expect(await store.prisma.apiRequest.count({ where: { databaseId: database.id } })).toBe(0)
    expect((await add('grace@example.com')).statusCode).toBe(201)
  })

  it('is deleted with the user whom the response shows', async ({ store, manage }) => {
    const { key } = await manage.newKey()
    const add = () => manage.send(key, 'POST', 'users', { email: 'ada@example.com' }, once('deleted'))
    const { id } = (await add()).json()
    await store.prisma.user.deleteMany({ where: { databaseId: manage.database.id, id } })
    const again = await add()
    expect(again.statusCode).toBe(201)
    expect(again.json().id).not.toBe(id)
  })

  it('stores neither the key nor a hash of the password that can be guessed', async ({ store, manage }) => {
    const { key } = await manage.newKey()
    const body = { email: 'ada@example.com', password }
    await manage.send(key, 'POST', 'users', body, once('a key to look for'))
    const [row] = await store.prisma.apiRequest.findMany({ where: { databaseId: manage.database.id } })
    const { fingerprint, ...others } = row ?? {}
    expect(JSON.stringify(others)).not.toMatch(/look for|horse/)
    await manage.send(key, 'POST', 'users', { ...body, email: 'b@example.com' }, once('other'))
    const rows = await store.prisma.apiRequest.findMany({ where: { databaseId: manage.database.id } })
    expect(new Set(rows.map((each) => each.fingerprint)).size).toBe(2)
    expect(fingerprint).toMatch(/^[\w-]{43}$/)
  })

  it('of ten concurrent equal requests adds one user and returns it ten times', async ({ store, manage }) => {
    const { key } = await manage.newKey()
    const body = { email: 'race@example.com', password }
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => manage.send(key, 'POST', 'users', body, once('race'))),
    )
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(201))
    expect(new Set(responses.map((response) => response.body)).size).toBe(1)
    expect(await store.prisma.user.count({ where: { databaseId: manage.database.id } })).toBe(1)
  })
})
