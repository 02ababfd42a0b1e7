import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core'
import { contract } from '../index.js'
import { managementContract } from '../management/index.js'
import type { RouteMetadata } from '../metadata.js'

/** Returns every operation of a contract, with the name of its router. */
const routesOf = (contract: Record<string, AppRouter>) =>
  Object.entries(contract).flatMap(([tag, router]) =>
    Object.entries(router).flatMap(([operationId, route]) =>
      isAppRoute(route) ? [{ tag, operationId, route }] : [],
    ),
  )

export const routes = routesOf(contract)
export const managementRoutes = routesOf(managementContract)

export const metadataOf = (route: AppRoute) => route.metadata as RouteMetadata
