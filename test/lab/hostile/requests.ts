import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core'
import { contract, type DatabasePath } from '@usher/contract'
import fc from 'fast-check'
import type { z } from 'zod'
import { tokensFor } from './tokens.js'
import { valuesOf } from './values.js'

/** A request before it is written out. Keys and values of the body are JSON already, so that they may be none. */
export interface Request {
  operation: string
  method: string
  target: string
  headers: [name: string, value: string][]
  fields: [key: string, value: string][] | undefined
  /** What becomes of the body's text. */
  write: (text: string) => string | Buffer
}

/** What there is on the server that the requests go to. */
export interface World {
  paths: DatabasePath[]
  /** Tokens by the path of their database. */
  tokens: { path: DatabasePath; jwt: string }[]
}

/** Requests that obey the contract, to every operation of it. */
export const validRequests = (world: World): fc.Arbitrary<Request> =>
  fc.oneof(
    ...operations.map(([name, route]) => ({
      weight: 'body' in route ? 8 : isSecured(route) ? 4 : 1,
      arbitrary: requestsTo(name, route, world),
    })),
  )

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
  const body = 'body' in route ? valuesOf(route.body as z.ZodType) : fc.constant(undefined)
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

/** A header as it can be in HTTP: Latin-1 without control characters, and trimmed (RFC 9110 §5.5). */
export const inHeader = (name: string, value: string): [string, string] => [
  name,
  value.replace(/[^\t\x20-\x7e\x80-\xff]/g, '~').trim(),
]

/** The text of a request's body, or nothing where it has none. */
export const bodyOf = ({ fields, write }: Request) =>
  fields && Buffer.from(write(`{${fields.map((field) => field.join(':')).join(',')}}`))
