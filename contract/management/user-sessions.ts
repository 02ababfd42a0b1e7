import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from '../failures.js'
import { instant } from '../fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { next } from '../page.js'
import { component, field } from '../registry.js'
import { keyProblems, NoQuery, PageQuery, UserPath, userPath, writeProblems } from './fields.js'

const c = initContract()

/** Response of `listUserSessions`. */
export const UserSessionList = component(
  { id: 'UserSessionList', description: 'A page of the sessions of a user that have not ended.' },
  z.object({
    sessions: field(
      'Ordered by id.',
      z.array(
        component(
          { id: 'UserSession', description: 'A session of a user.' },
          z.object({
            id: field('ID of the session.', z.uuid()),
            label: field('Name that the app has given to the session, or null.', z.string().nullable()),
            createdAt: instant('Time of the login'),
            refreshedAt: instant('Time of the last refresh'),
            expiresAt: instant('When it ends unless it is refreshed'),
          }),
        ),
      ),
    ),
    next: next(),
  }),
)
export type UserSessionList = z.infer<typeof UserSessionList>

export const userSessions = c.router({
  listUserSessions: {
    method: 'GET',
    path: `${userPath}/sessions`,
    pathParams: UserPath,
    query: PageQuery,
    responses: { 200: UserSessionList, ...failures('user_not_found', ...keyProblems) },
    summary: 'List the sessions of a user',
    description: 'Returns the sessions that have not ended, ordered by id.',
    metadata: { who: { key: 'users:read', operator: 'member', in: 'workspace' } },
  },
  endUserSessions: {
    method: 'DELETE',
    path: `${userPath}/sessions`,
    pathParams: UserPath,
    query: NoQuery,
    body: c.noBody(),
    responses: { 204: c.noBody(), ...failures('user_not_found', ...writeProblems) },
    summary: 'End all sessions of a user',
    description: 'Also revokes all access tokens of the user.',
    metadata: {
      who: { key: 'sessions:write', operator: 'support', in: 'workspace' },
      records: { words: 'logged the user out everywhere' },
      isRepeatable: true,
    },
  },
} satisfies DescribedRoutes)
