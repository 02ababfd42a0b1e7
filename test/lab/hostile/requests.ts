import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core'
import { contract, type DatabasePath } from '@usher/contract'
import fc from 'fast-check'
import { z } from 'zod'
import { refreshTokensFor, tokensFor } from './tokens.js'
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

/** Existing databases, accounts and tokens of the server. */
export interface World {
  paths: DatabasePath[]
  /** Tokens with the path of their database. */
  tokens: { path: DatabasePath; jwt: string }[]
  refreshTokens: string[]
}

/** Valid requests to every operation of the contract. */
export const validRequests = (world: World): fc.Arbitrary<Request> =>
  fc.oneof(
    ...operations.map(([name, route]) => ({
      weight: hasBody(route) ? 8 : isSecured(route) ? 4 : 1,
      arbitrary: requestsTo(name, route, world),
    })),
  )

const hasBody = (route: AppRoute) => 'body' in route && route.body instanceof z.ZodType

function bodiesOf(route: AppRoute, world: World): fc.Arbitrary<object | undefined> {
  if (!('body' in route && route.body instanceof z.ZodType)) return fc.constant(undefined)
  const bodies = valuesOf(route.body) as fc.Arbitrary<object>
  if (!(route.body instanceof z.ZodObject && 'refreshToken' in route.body.shape)) return bodies
  return fc.oneof(
    bodies,
    refreshTokensFor(world).map((refreshToken) => ({ refreshToken })),
  )
}

const isSecured = ({ metadata }: AppRoute) =>
  (metadata as { security?: string } | undefined)?.security === 'bearer'

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
  return fc.tuple(params, headers, body, token).map(([path, given, fields, bearer]) => ({
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
