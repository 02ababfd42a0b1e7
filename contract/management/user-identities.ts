import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from '../failures.js'
import { id } from '../fields.js'
import { Identity } from '../identities.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import { keyProblems, NoQuery, UserPath, userPath, writeProblems } from './fields.js'

const c = initContract()

/** Response of `listUserIdentities`. */
export const UserIdentityList = component(
  { id: 'UserIdentityList', description: 'The identities of a user.' },
  z.object({
    identities: field(
      'At most one of each connection, the oldest first.',
      z.array(
        component(
          { id: 'UserIdentity', description: 'An account at a provider with which a user logs in.' },
          Identity.extend({
            issuer: field('The provider, as its ID tokens name it.', z.string(), {
              examples: ['https://accounts.google.com'],
            }),
            subject: field('ID of the account at the provider.', z.string(), {
              examples: ['110169484474386276334'],
            }),
          }),
        ),
      ),
    ),
  }),
)
export type UserIdentityList = z.infer<typeof UserIdentityList>

/** Path parameters that identify an identity of a user. */
export const UserIdentityPath = UserPath.extend({ identityId: id('ID of the identity.') })

export const userIdentities = c.router({
  listUserIdentities: {
    method: 'GET',
    path: `${userPath}/identities`,
    pathParams: UserPath,
    query: NoQuery,
    responses: { 200: UserIdentityList, ...failures('user_not_found', ...keyProblems) },
    summary: 'List the identities of a user',
    description: 'Returns the accounts at providers with which the user logs in.',
    metadata: { who: { key: 'users:read', operator: 'member', in: 'workspace' } },
  },
  removeUserIdentity: {
    method: 'DELETE',
    path: `${userPath}/identities/:identityId`,
    pathParams: UserIdentityPath,
    query: NoQuery,
    body: c.noBody(),
    responses: {
      204: c.noBody(),
      ...failures('user_not_found', 'identity_not_found', 'last_login_method', ...writeProblems),
    },
    summary: 'Remove an identity of a user',
    description:
      'Ends all sessions of the user, and revokes all access tokens. The user must keep a way to log in. Also needs `credentials:write`.',
    metadata: {
      who: { key: 'users:write', operator: 'admin', in: 'workspace' },
      confirms: 'always',
      records: { words: 'removed an identity' },
      isRepeatable: true,
    },
  },
} satisfies DescribedRoutes)
