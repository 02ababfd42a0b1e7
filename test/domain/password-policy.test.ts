import { expect, it } from 'vitest'
import type { AppContext } from '../../server/domain/context.js'
import {
  newPasswordErrors,
  passwordErrors,
  requireNewPassword,
} from '../../server/domain/passwords/policy.js'

const email = 'ada.lovelace@engines.example'
const listed = 'a listed password'
const blocklist = { contains: async (password: string) => password === listed, close: async () => undefined }

/** Returns the codes of the errors of a password. */
async function codesOf(
  passwordPolicy: 'none' | 'standard' | 'nist',
  password: string,
  more: { email?: unknown; list?: typeof blocklist } = {},
) {
  const given = { password, email, field: 'password', ...more } as const
  return (await passwordErrors(more.list, { passwordPolicy }, given)).map(({ code }) => code)
}

it.for([
  ['none', 1],
  ['standard', 8],
  ['nist', 15],
] as const)('the policy %s requires %i characters, and allows 256', async ([policy, min]) => {
  // Two code units are one character.
  const character = '\u{1F511}'
  const limits = await passwordErrors(
    undefined,
    { passwordPolicy: policy },
    { password: character.repeat(min - 1), email, field: 'newPassword' },
  )
  const detail = `must have at least ${min} characters`
  expect(limits).toEqual([{ path: 'newPassword', code: 'too_short', detail, min }])
  for (const [length, codes] of [
    [min, []],
    [256, []],
    [257, ['too_long']],
  ] as const)
    expect(await codesOf(policy, character.repeat(length))).toEqual(codes)
  // NFKC makes three characters of one, and one of two.
  expect(await codesOf(policy, 'ﬃ'.repeat(86))).toEqual(['too_long'])
  expect(await codesOf(policy, 'e\u0301'.repeat(256))).toEqual([])
})

it.for([email, email.toUpperCase(), 'ada.lovelace', 'Ada.Lovelace', 'ada.lovelace@ENGINES.example'])(
  'a password that is the address or its first part is rejected: %s',
  async (password) => {
    expect(await codesOf('standard', password)).toEqual(['password_is_email'])
    expect(await codesOf('standard', password, { email: ` ${email} ` })).toEqual(['password_is_email'])
    expect(await codesOf('none', password)).toEqual([])
  },
)

it.for([undefined, 7, '', 'nobody', 'charles@engines.example'])(
  'a password is compared with no other address: %s',
  async (other) => {
    expect(await codesOf('standard', email, { email: other })).toEqual([])
  },
)

it('a password in another form or script is compared with the address, too', async () => {
  const german = 'käthe.müller@käse.example'
  for (const password of [german, german.normalize('NFD'), 'käthe.müller@xn--kse-qla.example'])
    expect(await codesOf('standard', password, { email: german })).toEqual(['password_is_email'])
  expect(await codesOf('standard', 'käthe.müller', { email: german.normalize('NFD') })).toEqual([
    'password_is_email',
  ])
})

it('a common password is rejected in any case, and one of the list as entered', async () => {
  for (const password of ['password1', 'PassWord1'])
    expect(await codesOf('standard', password)).toEqual(['password_too_common'])
  expect(await codesOf('none', 'password1')).toEqual([])
  expect(await codesOf('standard', listed, { list: blocklist })).toEqual(['password_too_common'])
  expect(await codesOf('standard', `${listed}!`, { list: blocklist })).toEqual([])
  expect(await codesOf('standard', listed)).toEqual([])
  expect(await codesOf('none', listed, { list: blocklist })).toEqual([])
})

it('a new password that violates the policy is a problem', async () => {
  const require = (password: string) =>
    requireNewPassword({ blocklist }, { passwordPolicy: 'standard' }, { password, email, field: 'password' })
  await expect(require(listed)).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [{ path: 'password' }],
  })
  await expect(require('correct horse battery')).resolves.toBeUndefined()
})

it('errors of the policy follow those of other fields, if the password is a text without errors', async () => {
  const database = { passwordPolicy: 'standard' } as never
  const errorsOf = (body: unknown, path = 'email') =>
    newPasswordErrors({ blocklist } as AppContext, { database, body, field: 'newPassword' }, [
      { path, code: 'invalid' as never, detail: '' },
    ])
  const paths = async (...request: Parameters<typeof errorsOf>) =>
    (await errorsOf(...request)).map((error) => error.path)
  expect(await paths({ newPassword: 'short' })).toEqual(['email', 'newPassword'])
  expect(await paths({ newPassword: 'correct horse battery' })).toEqual(['email'])
  expect(await paths({ newPassword: 'short' }, 'newPassword')).toEqual(['newPassword'])
  for (const body of [{ newPassword: 7 }, { password: 'short' }, null, undefined, 'text'])
    expect(await paths(body)).toEqual(['email'])
  expect(await paths({ email, newPassword: email })).toEqual(['email', 'newPassword'])
})
