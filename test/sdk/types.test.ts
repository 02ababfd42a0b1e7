import type { AppRoute, ClientInferResponseBody } from '@ts-rest/core'
import type * as contract from '@usher/contract'
import type * as sdk from '@usher/sdk'
import { expectTypeOf, it } from 'vitest'
import type { z } from 'zod'

type Contract = typeof contract.contract
type RouterName = Exclude<keyof Contract, 'discovery' | 'service'>
type RouteId = { [Name in RouterName]: keyof Contract[Name] }[RouterName]
type Route<Id extends RouteId> = {
  [Name in RouterName]: Id extends keyof Contract[Name] ? Contract[Name][Id] : never
}[RouterName]

type Code<Body> = Body extends { code: infer Each extends sdk.ErrorCode } ? Each : never
type Call<R extends AppRoute> = Promise<
  sdk.Result<
    Exclude<ClientInferResponseBody<R>, contract.ProblemBody>,
    Code<ClientInferResponseBody<R>> | 'no_answer'
  >
>
type MethodName<Id> = Id extends `get${infer Name}` ? Uncapitalize<Name> : Id

/** The methods that the SDK must have by the contract. */
type Operations = {
  [Id in RouteId as MethodName<Id> & string]: Route<Id> extends infer R extends AppRoute
    ? (...parameters: [...Ids<R>, ...Argument<R>, options?: Options<R>]) => Call<R>
    : never
}

/** The path parameters below a database. */
type Ids<R extends AppRoute> = R extends { pathParams: { shape: { sessionId: unknown } } }
  ? [sessionId: string]
  : R extends { pathParams: { shape: { identityId: unknown } | { factorId: unknown } } }
    ? [id: string]
    : R extends { pathParams: { shape: { invitationId: unknown } } }
      ? [tenantId: string, invitationId: string]
      : R extends { pathParams: { shape: { userId: unknown } } }
        ? [tenantId: string, userId: string]
        : R extends { pathParams: { shape: OfSso } }
          ? [tenantId: string, id: string]
          : R extends { pathParams: { shape: { tenantId: unknown } } }
            ? [tenantId: string]
            : []

type OfSso = { connectionId: unknown } | { domain: unknown } | { entryId: unknown }

/** A confirmation is the only header that a caller gives. The client makes a proof of work, and a caller may follow it. */
type Options<R extends AppRoute> = R extends { headers: { shape: { 'usher-confirmation': unknown } } }
  ? sdk.CallOptions & sdk.ConfirmOptions
  : R extends { headers: { shape: { 'usher-proof': unknown } } }
    ? sdk.CallOptions & sdk.WorkOptions
    : sdk.CallOptions

/** The body, which may be optional, or the query. */
type Argument<R extends AppRoute> = R extends { body: infer Body extends z.ZodType }
  ? undefined extends z.input<Body>
    ? [body?: z.input<Body>]
    : [body: z.input<Body>]
  : R extends { query: infer Query extends z.ZodType }
    ? [query?: z.output<Query> | undefined]
    : []

// Checked by the compiler: `tsc -p test`.
it('gives bodies and responses the types of the contract', () => {
  expectTypeOf<sdk.CreateUserBody>().toEqualTypeOf<contract.CreateUserBody>()
  expectTypeOf<sdk.LoginBody>().toEqualTypeOf<contract.LoginBody>()
  expectTypeOf<sdk.AccessToken>().toEqualTypeOf<contract.AccessToken>()
  expectTypeOf<sdk.SignedInUser>().toEqualTypeOf<contract.SignedInUser>()
  expectTypeOf<sdk.User>().toEqualTypeOf<contract.User>()
  expectTypeOf<sdk.FieldError>().toEqualTypeOf<contract.FieldError>()
  expectTypeOf<sdk.FieldErrorCode>().toEqualTypeOf<contract.FieldErrorCode>()
})

it('gives each operation the body, the response and the codes of the contract', () => {
  expectTypeOf<'createUser' | 'login' | 'me'>().toExtend<keyof sdk.Operations>()
  expectTypeOf<sdk.Operations>().toEqualTypeOf<Operations>()
  expectTypeOf<keyof Omit<sdk.Client, keyof sdk.Login>>().toEqualTypeOf<keyof Operations>()
  expectTypeOf<'invalid_credentials'>().toExtend<sdk.LoginErrorCode>()
  expectTypeOf<'invalid_credentials'>().not.toExtend<sdk.MeErrorCode>()
})

it('accepts the fetch and localStorage of the runtime', () => {
  expectTypeOf<typeof fetch>().toExtend<sdk.Fetch>()
  expectTypeOf<Storage>().toExtend<sdk.TokenStore>()
})
