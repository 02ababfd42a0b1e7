import { createClient } from '@usher/sdk'
import { expect } from 'vitest'
import { it as apiTest } from '../support/api.js'
import { password, validUser } from '../support/app.js'

const it = apiTest.extend('options', ({ origin, database }) => ({
  baseUrl: origin,
  workspace: database.workspaceSlug,
  database: database.databaseName,
}))

it('signs up with a tenant, logs in and reads the user', async ({ options }) => {
  const usher = createClient(options)
  const body = validUser({ newTenant: 'Engines', preferredName: 'Ada' })
  const signedUp = await usher.createUser(body)
  expect(signedUp.data?.tenants).toHaveLength(1)
  expect(usher.token).toBe(signedUp.data?.token.jwt)

  usher.token = undefined
  expect((await usher.me()).error?.code).toBe('token_missing')

  const { data } = await usher.login({ email: body.email, password })
  expect(data).toMatchObject({ id: signedUp.data?.id, tenants: signedUp.data?.tenants })
  expect((await usher.me()).data).toMatchObject({
    id: signedUp.data?.id,
    email: body.email,
    preferredName: 'Ada',
    tenants: signedUp.data?.tenants,
  })
})

it('returns the problem codes of the server', async ({ options }) => {
  const usher = createClient(options)
  const body = validUser()
  await usher.createUser(body)
  expect((await usher.createUser(body)).error?.code).toBe('email_taken')

  const wrong = await usher.login({ email: body.email, password: 'not the password' })
  expect(wrong.error).toMatchObject({ code: 'invalid_credentials', status: 401 })
  expect(wrong.error?.requestId).toMatch(/^[0-9a-f-]{36}$/)

  const invalid = await usher.createUser({ email: 'ada', password: 'short' })
  expect(invalid.error?.code).toBe('validation_failed')
  expect(invalid.error?.errors.map(({ path, code }) => `${path} ${code}`)).toEqual([
    'email email_invalid',
    'password too_short',
  ])

  const elsewhere = createClient({ ...options, database: 'elsewhere' })
  expect((await elsewhere.login({ email: body.email, password })).error?.code).toBe('database_not_found')
})

it('returns retryAfterSeconds after too many wrong passwords', async ({ options }) => {
  const usher = createClient(options)
  const { email } = validUser()
  const attempt = () => usher.login({ email, password: 'not the password' })
  for (let failures = 0; failures < 6; failures++) await attempt()
  expect((await attempt()).error).toMatchObject({
    code: 'too_many_attempts',
    retryAfterSeconds: expect.any(Number),
  })
})

it('clears a token that has expired', async ({ options, clock }) => {
  const usher = createClient(options)
  await usher.createUser(validUser())
  clock.now += 3_600_000
  const { error } = await usher.me()
  expect(error).toMatchObject({ code: 'token_expired', status: 401 })
  expect(usher.token).toBeUndefined()
})

it('returns no_answer when no server responds and for a path outside the API', async ({ options }) => {
  const once = { ...options, retries: 0 }
  const unreachable = await createClient({ ...once, baseUrl: 'http://127.0.0.1:1' }).login(validUser())
  expect(unreachable.error).toMatchObject({ code: 'no_answer', cause: expect.any(TypeError) })
  const { error } = await createClient({ ...once, baseUrl: `${options.baseUrl}/elsewhere` }).login(
    validUser(),
  )
  expect(error).toMatchObject({ code: 'no_answer', status: 404, title: 'Route not found' })
})
