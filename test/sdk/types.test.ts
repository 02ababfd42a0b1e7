import type { ClientInferResponseBody } from '@ts-rest/core'
import type * as contract from '@usher/contract'
import type * as sdk from '@usher/sdk'
import { expectTypeOf, it } from 'vitest'

type Users = (typeof contract.contract)['users']
type Code<Body> = Body extends { code: infer Each } ? Each : never
type Data<Result> = Result extends { error: undefined; data: infer Each } ? Each : never

type CodeOf<Operation extends keyof Users> = Code<ClientInferResponseBody<Users[Operation]>>
type DataOf<Operation extends 'createUser' | 'login' | 'me'> = Data<
  Awaited<ReturnType<sdk.Client[Operation]>>
>

// Checked by the compiler: `tsc -p test`.
it('gives bodies and responses the types of the contract', () => {
  expectTypeOf<sdk.CreateUserBody>().toEqualTypeOf<contract.CreateUserBody>()
  expectTypeOf<sdk.LoginBody>().toEqualTypeOf<contract.LoginBody>()
  expectTypeOf<sdk.AccessToken>().toEqualTypeOf<contract.AccessToken>()
  expectTypeOf<sdk.SignedInUser>().toEqualTypeOf<contract.SignedInUser>()
  expectTypeOf<sdk.User>().toEqualTypeOf<contract.User>()
  expectTypeOf<sdk.FieldError>().toEqualTypeOf<contract.FieldError>()
  expectTypeOf<sdk.FieldErrorCode>().toEqualTypeOf<contract.FieldErrorCode>()
  expectTypeOf<Parameters<sdk.Client['createUser']>[0]>().toEqualTypeOf<contract.CreateUserBody>()
  expectTypeOf<Parameters<sdk.Client['login']>[0]>().toEqualTypeOf<contract.LoginBody>()
  expectTypeOf<DataOf<'createUser'>>().toEqualTypeOf<contract.SignedInUser>()
  expectTypeOf<DataOf<'login'>>().toEqualTypeOf<contract.SignedInUser>()
  expectTypeOf<DataOf<'me'>>().toEqualTypeOf<contract.User>()
})

it('gives each operation the codes of the contract and no_answer', () => {
  expectTypeOf<sdk.CreateUserErrorCode>().toEqualTypeOf<CodeOf<'createUser'> | 'no_answer'>()
  expectTypeOf<sdk.LoginErrorCode>().toEqualTypeOf<CodeOf<'login'> | 'no_answer'>()
  expectTypeOf<sdk.MeErrorCode>().toEqualTypeOf<CodeOf<'getMe'> | 'no_answer'>()
  expectTypeOf<'invalid_credentials'>().toExtend<sdk.LoginErrorCode>()
  expectTypeOf<'invalid_credentials'>().not.toExtend<sdk.MeErrorCode>()
})

it('accepts the fetch and localStorage of the runtime', () => {
  expectTypeOf<typeof fetch>().toExtend<sdk.Fetch>()
  expectTypeOf<Storage>().toExtend<sdk.TokenStore>()
})
