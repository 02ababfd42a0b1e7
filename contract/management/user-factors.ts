import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { Factor, factorExample } from '../factor.js'
import { failures } from '../failures.js'
import type { DescribedRoutes } from '../metadata.js'
import { component, field } from '../registry.js'
import { keyProblems, NoQuery, UserPath, userPath, writeProblems } from './fields.js'

const c = initContract()

/** Response of `listUserFactors`. */
export const UserFactorList = component(
  {
    id: 'UserFactorList',
    description: 'The second factors of a user.',
    examples: [{ factors: [factorExample], recoveryCodes: 8 }],
  },
  z.object({
    factors: field('The oldest first.', z.array(Factor)),
    recoveryCodes: field('Number of recovery codes that are left.', z.int(), {
      format: 'int32',
      examples: [8],
    }),
  }),
)
export type UserFactorList = z.infer<typeof UserFactorList>

export const userFactors = c.router({
  listUserFactors: {
    method: 'GET',
    path: `${userPath}/factors`,
    pathParams: UserPath,
    query: NoQuery,
    responses: { 200: UserFactorList, ...failures('user_not_found', ...keyProblems) },
    summary: 'List the second factors of a user',
    description: 'Returns the factors, and how many recovery codes are left.',
    metadata: { who: { key: 'users:read', operator: 'member', in: 'workspace' } },
  },
  removeUserFactors: {
    method: 'DELETE',
    path: `${userPath}/factors`,
    pathParams: UserPath,
    query: NoQuery,
    body: c.noBody(),
    responses: { 204: c.noBody(), ...failures('user_not_found', ...writeProblems) },
    summary: 'Remove all second factors of a user',
    description:
      'For a user who has lost them. Removes the recovery codes too, ends all sessions, revokes all access tokens, and notifies the user. Also succeeds if the user has none. Make sure that the user asks for it. Also needs `credentials:write`.',
    metadata: {
      who: { key: 'users:write', operator: 'admin', in: 'workspace' },
      confirms: 'always',
      records: { words: 'removed the second factors' },
      isRepeatable: true,
    },
  },
} satisfies DescribedRoutes)
