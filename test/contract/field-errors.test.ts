import { CreateUserBody, IdempotencyHeaders, LoginBody, toFieldError } from '@usher/contract'
import { expect, it } from 'vitest'
import { z } from 'zod'

const errorsOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(toFieldError)
const valid = { email: 'ada@example.com', password: 'correct horse battery' }
const signUp = (fields: object) => errorsOf(CreateUserBody, { ...valid, ...fields })
const logIn = (body: unknown) => errorsOf(LoginBody, body)

it.each([
  ['required', 'is required', 'email', signUp({ email: undefined })],
  ['invalid_type', 'must be a string', 'email', signUp({ email: null })],
  ['email_invalid', 'must be an email address', 'email', signUp({ email: 'ada' })],
  ['blank', 'must not be blank', 'password', signUp({ password: '' })],
  ['blank', 'must not be blank', 'newTenant', signUp({ newTenant: ' ' })],
  [
    'too_long',
    'must have at most 255 characters',
    'preferredName',
    signUp({ preferredName: 'x'.repeat(256) }),
  ],
  [
    'invalid_character',
    'must be Unicode text without NUL',
    'password',
    logIn({ ...valid, password: 'a\0b' }),
  ],
  [
    'too_long',
    'must have at most 255 characters',
    'idempotency-key',
    errorsOf(IdempotencyHeaders, { 'idempotency-key': 'x'.repeat(256) }),
  ],
  ['required', 'is required', '', logIn(undefined)],
  ['invalid_type', 'must be an object', '', logIn([])],
  ['blank', 'must not be blank', 'idempotency-key', errorsOf(IdempotencyHeaders, { 'idempotency-key': '' })],
])('reports %s with the detail "%s" for the path "%s"', (code, detail, path, errors) => {
  const limit = code === 'too_long' ? { max: 255 } : {}
  expect(errors).toEqual([{ path, code, detail, ...limit }])
})

it.each([
  ['a length', z.string().min(3), 'x'],
  ['a pattern', z.string().regex(/^secret$/), 'x'],
  ['a format', z.uuid(), 'x'],
  ['an enumeration', z.enum(['a', 'b']), 'x'],
  ['a union', z.union([z.number(), z.boolean()]), 'x'],
  ['unknown keys', z.strictObject({}), { x: 1 }],
  ['a refinement', z.string().refine(() => false, { params: { code: 'other' }, error: 'secret' }), 'x'],
  ['a type', z.number(), 'x'],
])('reports a failed rule on %s as invalid_type, without the message of zod', (_rule, rule, x) => {
  expect(errorsOf(z.object({ field: rule }), { field: x })).toEqual([
    { path: 'field', code: 'invalid_type', detail: 'is invalid' },
  ])
})

it('joins the path of a nested field with dots', () => {
  const schema = z.object({ list: z.array(z.object({ name: z.string() })) })
  expect(errorsOf(schema, { list: [{ name: 1 }] })).toMatchObject([{ path: 'list.0.name' }])
})
