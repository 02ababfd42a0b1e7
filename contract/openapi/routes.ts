import { type AppRoute, type AppRouter, isAppRoute } from '@ts-rest/core'
import { contract } from '../index.js'
import type { RouteMetadata } from '../metadata.js'

/** Every operation of the contract, with the name of its router. */
export const routes = Object.entries(contract).flatMap(([tag, router]: [string, AppRouter]) =>
  Object.entries(router).flatMap(([operationId, route]) =>
    isAppRoute(route) ? [{ tag, operationId, route }] : [],
  ),
)

export const metadataOf = (route: AppRoute) => (route.metadata ?? {}) as RouteMetadata
