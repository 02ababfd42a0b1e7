import { managementContract } from '@usher/contract/management'
import { managementRights, type OperatorMetadata, operatorContract } from '@usher/contract/operator'
import type { z } from 'zod'

type Contract = typeof operatorContract
/** The operations of the operator API, by name. */
export type OperatorRoutes = Contract['console'] &
  Contract['operators'] &
  Contract['databases'] &
  Contract['keys'] &
  Contract['operations']
export type OperatorOperation = keyof OperatorRoutes

/** What an operation of the operator API returns. */
export type ReplyOf<Name extends OperatorOperation> =
  OperatorRoutes[Name]['responses'] extends infer Responses
    ? 200 extends keyof Responses
      ? Input<Responses[200]>
      : 201 extends keyof Responses
        ? Input<Responses[201]>
        : undefined
    : never
type Input<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined

interface Route {
  name: string
  method: string
  pattern: RegExp
  params: string[]
  metadata: Partial<Pick<OperatorMetadata, 'role' | 'in' | 'confirms'>>
  body: z.ZodType | undefined
  responses: Record<number, unknown>
}

type AnyRoute = {
  method: string
  path: string
  metadata?: unknown
  body?: unknown
  responses: Record<number, unknown>
}

function compiled([name, { method, path, metadata, body, responses }]: [string, AnyRoute]): Route {
  const params = [...path.matchAll(/:(\w+)/g)].map(([, param]) => String(param))
  const pattern = new RegExp(`^${path.replace(/:\w+/g, '([^/]+)')}$`)
  const isSchema = typeof body === 'object' && body !== null && 'safeParse' in body
  return {
    name,
    method,
    pattern,
    params,
    metadata: (metadata ?? {}) as Route['metadata'],
    body: isSchema ? (body as z.ZodType) : undefined,
    responses,
  }
}

const routesOf = (routers: object) =>
  Object.values(routers).flatMap((router: Record<string, AnyRoute>) => Object.entries(router).map(compiled))

const operatorRoutes = routesOf(operatorContract)
const managementRoutes = routesOf(managementContract).map((route) => ({
  ...route,
  // Without a right, only backends may use it.
  metadata: {
    in: 'workspace',
    ...(managementRights[route.name as keyof typeof managementRights] as object),
  } as {
    in: string
    role?: string | null
    confirms?: true
  },
}))

function find<Found extends Pick<Route, 'method' | 'pattern' | 'params'>>(
  routes: readonly Found[],
  method: string,
  path: string,
) {
  for (const route of routes) {
    const match = route.method === method && route.pattern.exec(path)
    if (!match) continue
    const params = Object.fromEntries(
      route.params.map((name, index) => [name, decodeURIComponent(String(match[index + 1]))]),
    )
    return { route, params }
  }
  return undefined
}

export const findOperatorRoute = (method: string, path: string) => find(operatorRoutes, method, path)
export const findManagementRoute = (method: string, path: string) => find(managementRoutes, method, path)
