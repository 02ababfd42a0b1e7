import { type RouteMetadata, scopeOf } from '@usher/contract'
import { changeableFields, managementContract } from '@usher/contract/management'
import type { FastifyInstance } from 'fastify'
import { runChange } from '../../domain/change.js'
import { createCode } from '../../domain/codes/create-code.js'
import type { AppContext } from '../../domain/context.js'
import { changeUser } from '../../domain/email-change/change-user.js'
import { etagOf, requireMatch } from '../../domain/management/etag.js'
import { listEvents } from '../../domain/management/events.js'
import { changeMailSettings, getMailSettings } from '../../domain/management/mail-settings.js'
import { changeOncePerKey } from '../../domain/management/once-per-key.js'
import { listRevocations } from '../../domain/management/revocations.js'
import { listUserFactors, removeUserFactors } from '../../domain/management/users/factors.js'
import { findAccount } from '../../domain/management/users/find-account.js'
import { listUserIdentities, removeUserIdentity } from '../../domain/management/users/identities.js'
import { checkImport, importManagedUsers } from '../../domain/management/users/import-request.js'
import {
  getManagedUser,
  listManagedSessions,
  listManagedUsers,
  managedUser,
} from '../../domain/management/users/managed-users.js'
import { unless } from '../../domain/problem.js'
import { addUser } from '../../domain/users/add-user.js'
import { deleteUser, revokeTokens, setPassword, unlockUser } from '../../domain/users/user-changes.js'
import { serveOperations } from '../serve-operations.js'
import { managedTenantRoutes } from './managed-tenants.js'

/** Two objects of 8 KiB, which may be written with escapes, and other fields. */
export const bodyLimitBytes = 64 * 1024

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
    const metadata = tsRestRoute?.metadata
    if (metadata && scopeOf(metadata)) route.bodyLimit = metadata.lines?.maxBytes ?? bodyLimitBytes
  })
  managedUserRoutes(app, context)
  managedTenantRoutes(app, context)
  serveOperations(app, context, {
    routes: managementContract.mailSettings,
    rules: {
      getMailSettings: ({ store }, { database }) => getMailSettings(store, database.id),
      changeMailSettings: (_, request) =>
        runChange(context, request, (change) => changeMailSettings(change, request.body)),
    },
  })
  serveOperations(app, context, { routes: managementContract.events, rules: { listEvents } })
}

function managedUserRoutes(app: FastifyInstance, context: AppContext) {
  serveOperations(app, context, {
    routes: managementContract.users,
    rules: {
      listUsers: listManagedUsers,
      addUser: (_, request) => {
        const { database, body, caller } = request
        return changeOncePerKey(context, request, {
          operation: 'addUser',
          prepare: () => addUser({ ...context, client: caller }, database, body),
          responseOf: managedUser,
          userOf: ({ id }) => id,
        })
      },
      getUser: getManagedUser,
      listUserIdentities,
      removeUserIdentity,
      listUserFactors,
      removeUserFactors,
      async changeUser(_, request) {
        const { database, params, body, headers } = request
        const { emailVerified: isVerified, disabled: isDisabled, ...changes } = body
        const wanted: Parameters<typeof changeUser>[1] = {
          userId: params.userId,
          changes: { ...changes, isVerified, isDisabled },
          require: ({ emailVerifiedAt, disabledAt, ...user }) => {
            const shown = { ...user, emailVerified: emailVerifiedAt !== null, disabled: disabledAt !== null }
            requireMatch(headers['if-match'], etagOf(shown, changeableFields))
          },
        }
        await runChange(context, request, (change) => changeUser(change, wanted))
        const read = await context.findManagedUser(database.id, { id: params.userId })
        return managedUser(read?.user)
      },
      async setUserPassword(_, request) {
        const { database, params, body, caller } = request
        const user = await findAccount(context.store, database, params.userId)
        await setPassword(context, request, { user, password: body.password, client: caller })
      },
      removeUser: ({ throttle }, request) =>
        runChange(context, request, (change) => deleteUser(change, { ...request.params, throttle })).catch(
          unless('user_not_found'),
        ),
      listUserSessions: listManagedSessions,
      endUserSessions: (_, request) =>
        runChange(context, request, (change) => revokeTokens(change, request.params)),
      async createUserCode(_, request) {
        const { database, params, body } = request
        const isReturned = body.deliver === 'return'
        const secrets = isReturned ? await context.findSecrets(database.id) : undefined
        const wanted = { userId: params.userId, purpose: body.purpose, secrets }
        return changeOncePerKey(context, request, {
          operation: 'createUserCode',
          secrets: ['code'],
          prepare: async () => (change) => createCode(change, wanted),
          responseOf: ({ code, expiresAt }) => ({ code, expiresAt: expiresAt.toISOString() }),
          userOf: () => params.userId,
        })
      },
      unlockUser: ({ throttle }, request) =>
        runChange(context, request, (change) => unlockUser(change, { ...request.params, throttle })),
      importUsers: importManagedUsers,
      checkImport,
    },
  })
}
