import type { RouteMetadata } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import type { FastifyInstance } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { listEvents } from '../../domain/management/events.js'
import { listRevocations } from '../../domain/management/revocations.js'
import { addUser } from '../../domain/management/users/add-user.js'
import { createManagedCode } from '../../domain/management/users/create-code.js'
import { importManagedUsers } from '../../domain/management/users/import-request.js'
import {
  changeManagedUser,
  endManagedSessions,
  listManagedSessions,
  removeManagedUser,
  setManagedPassword,
  unlockManagedUser,
} from '../../domain/management/users/managed-changes.js'
import { getManagedUser, listManagedUsers } from '../../domain/management/users/managed-users.js'
import { serveOperations } from '../serve-operations.js'
import { managedTenantRoutes } from './managed-tenants.js'

/** Two objects of 8 KiB, which may be written with escapes, and other fields. */
const bodyLimitBytes = 64 * 1024

/** Serves revocations on every port, because backends that only verify tokens need no other part of the management API. */
export function revocationRoutes(app: FastifyInstance, context: AppContext) {
  app.decorateRequest('admitted', undefined)
  serveOperations(app, context, { routes: managementContract.revocations, rules: { listRevocations } })
  app.addHook('preClose', (done) => {
    for (const { waits } of [context.keptEvents, context.revocations]) waits.end()
    done()
  })
}

/** Serves the rest of the management API, whose requests have an API key. */
export function managementRoutes(app: FastifyInstance, context: AppContext) {
  app.addHook('onRoute', (route) => {
    const { tsRestRoute } = (route.config ?? {}) as { tsRestRoute?: { metadata?: RouteMetadata } }
    const { scope, lines } = tsRestRoute?.metadata ?? {}
    if (scope) route.bodyLimit = lines?.maxBytes ?? bodyLimitBytes
  })
  serveOperations(app, context, {
    routes: managementContract.users,
    readsUser: 'getUser',
    rules: {
      listUsers: listManagedUsers,
      addUser,
      getUser: getManagedUser,
      changeUser: changeManagedUser,
      setUserPassword: setManagedPassword,
      removeUser: removeManagedUser,
      listUserSessions: listManagedSessions,
      endUserSessions: endManagedSessions,
      createUserCode: createManagedCode,
      unlockUser: unlockManagedUser,
      importUsers: importManagedUsers,
    },
  })
  managedTenantRoutes(app, context)
  serveOperations(app, context, { routes: managementContract.events, rules: { listEvents } })
}
