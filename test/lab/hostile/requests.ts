import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core'
import { contract, type DatabasePath, type RouteMetadata, userTokenOf } from '@usher/contract'
import fc from 'fast-check'
import { z } from 'zod'
import { codesFor, refreshTokensFor, tokensFor } from './tokens.js'
import { valuesOf } from './values.js'

/** A request before serialization. Keys and values of the body are JSON texts, which may be invalid. */
export interface Request {
  operation: string
  method: string
  target: string
  headers: [name: string, value: string][]
  fields: [key: string, value: string][] | undefined
  /** Changes the text of the body. */
  write: (text: string) => string | Buffer
}

/** An account with all its credentials. */
export interface Account {
  path: DatabasePath
  email: string
  password: string
  /** Of its sign-up, which opens a session, and of a session. */
  tokens: [string, string]
  refreshToken: string
  /** By the operation that uses it. */
  codes: Record<
    'resetPassword' | 'verifyEmail' | 'acceptInvitation' | 'changeEmail' | 'undoEmailChange',
    string
  >
}

/** Existing databases and accounts of the server. */
export interface World {
  paths: DatabasePath[]
  accounts: Account[]
}

/** Valid requests to every operation of the contract. */
export const validRequests = (world: World): fc.Arbitrary<Request> =>
  fc.oneof(
    ...operations.map(([name, route]) => ({
      weight: hasBody(route) || isSecured(route) ? 8 : 1,
      arbitrary: requestsTo(name, route, world),
    })),
  )

const hasBody = (route: AppRoute) => 'body' in route && route.body instanceof z.ZodType

function bodiesOf(route: AppRoute, world: World): fc.Arbitrary<object | undefined> {
  if (!('body' in route && route.body instanceof z.ZodObject)) return fc.constant(undefined)
  const bodies = valuesOf(route.body) as fc.Arbitrary<object>
  const { shape } = route.body
  const secrets = fc.record({
    ...('refreshToken' in shape && { refreshToken: refreshTokensFor(world) }),
    ...('code' in shape && { code: codesFor(world) }),
  })
  return fc.oneof(
    bodies,
    fc.tuple(bodies, secrets).map(([body, secret]) => ({ ...body, ...secret })),
  )
}

/** Returns the fields with the credentials of an account, except for a sign-up, which needs none. */
function withCredentials(operation: string, fields: object, { codes, tokens: _, ...account }: Account) {
  if (operation === 'createUser') return fields
  const secrets = { ...account, code: codes[operation as keyof typeof codes] }
  const names = Object.keys(fields).filter((name) => secrets[name as 'email'] !== undefined)
  return { ...fields, ...Object.fromEntries(names.map((name) => [name, secrets[name as 'email']])) }
}

const isSecured = ({ metadata }: AppRoute) => userTokenOf(metadata as RouteMetadata) === 'needed'

const operations = Object.values<AppRouter>(contract).flatMap((router) =>
  Object.entries(router).filter((entry): entry is [string, AppRoute] => isAppRoute(entry[1])),
)

function requestsTo(operation: string, route: AppRoute, world: World): fc.Arbitrary<Request> {
  const inDatabase = route.path.includes(':databaseName')
  const generated = route.pathParams ? valuesOf(route.pathParams as z.ZodType) : fc.constant({})
  const params = inDatabase
    ? fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...world.paths) }, { weight: 1, arbitrary: generated })
    : generated
  const body = bodiesOf(route, world)
  const headers = route.headers ? valuesOf(route.headers as z.ZodType) : fc.constant({})
  const token = isSecured(route) ? tokensFor(world) : fc.constant(undefined)
  // Values of all its parameters, in which the path of a database that exists may replace that of the database.
  const path = fc
    .tuple(generated, params)
    .map(([all, database]) => ({ ...(all as object), ...(database as object) }))
  const any = fc.record({ path, body, token })
  const ofAccount = fc
    .tuple(any, fc.constantFrom(...world.accounts), fc.nat(1))
    .map(([request, account, index]) => ({
      path: inDatabase ? { ...request.path, ...account.path } : request.path,
      body: request.body && withCredentials(operation, request.body, account),
      token: request.token && account.tokens[index],
    }))
  return fc
    .tuple(headers, fc.oneof(any, ofAccount))
    .map(([given, { path, body: fields, token: bearer }]) => ({
      operation,
      method: route.method,
      target: route.path.replace(/:(\w+)/g, (_, name) => String((path as Record<string, string>)[name])),
      headers: [
        ...Object.entries(given as Record<string, string>)
          .map(([name, value]) => inHeader(name, value))
          .filter(([, value]) => value !== ''),
        ...(fields ? [inHeader('content-type', 'application/json')] : []),
        ...(bearer ? [inHeader('authorization', `Bearer ${bearer}`)] : []),
      ],
      fields: fields ? Object.entries(fields).map(written) : undefined,
      write: String,
    }))
}

const written = ([key, value]: [string, unknown]): [string, string] => [
  JSON.stringify(key),
  JSON.stringify(value),
]

/** Returns a valid header value: Latin-1 without control characters, trimmed (RFC 9110 §5.5). */
export const inHeader = (name: string, value: string): [string, string] => [
  name,
  value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '~').trim(),
]

/** Returns the text of the body, or undefined. */
export const bodyOf = ({ fields, write }: Request) =>
  fields && Buffer.from(write(`{${fields.map((field) => field.join(':')).join(',')}}`))
