import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from '../failures.js'
import { id } from '../fields.js'
import { PageQuery, strict } from '../management/fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { next } from '../page.js'
import { component, field } from '../registry.js'
import { DatabasePath, operatorDatabasePath, operatorProblems, timeOf } from './fields.js'

/** What an operator has done. It is recorded before it runs. */
export const OperatorAction = component(
  { id: 'OperatorAction', description: 'What an operator has done. It is recorded before it runs.' },
  z.object({
    id: field('ID of the action.', z.uuid()),
    at: timeOf('When it was recorded.'),
    operatorId: field('The operator.', z.uuid()),
    operatorEmail: field('Address of the operator at that time.', z.string()),
    operatorName: field('Name of the operator now, or null.', z.string().nullable()),
    action: field('Name of the operation.', z.string(), { examples: ['changeSettings'] }),
    workspace: field('Slug of the workspace, or null.', z.string().nullable()),
    database: field('Name of the database, or null.', z.string().nullable()),
    target: field('What it was done to, such as the ID of a user, or null.', z.string().nullable()),
    tenantId: field(
      'The tenant, if it was done to the membership of the user `target`.',
      z.uuid().nullable(),
    ),
    fields: field(
      'Fields that the request has set, or null. Values are not recorded, except true and false.',
      z.string().nullable(),
      { examples: ['disabled: true'] },
    ),
    outcome: field(
      '`done`, or the code of the problem. Null: unknown, because the server has ended before the operation has.',
      z.string().nullable(),
    ),
    requestId: field('ID of the request, as in the log.', z.string()),
  }),
)
export type OperatorAction = z.infer<typeof OperatorAction>

export const OperatorActionList = component(
  { id: 'OperatorActionList', description: 'A page of actions.' },
  z.object({ actions: field('The actions, the latest first.', z.array(OperatorAction)), next: next() }),
)
export type OperatorActionList = z.infer<typeof OperatorActionList>

export const actions = initContract().router({
  listActions: {
    method: 'GET',
    path: '/operator/actions',
    query: strict({
      ...PageQuery.shape,
      operatorId: field('Only those of this operator.', id('ID of the operator.').optional()),
    }),
    responses: { 200: OperatorActionList, ...failures(...operatorProblems) },
    summary: 'List what operators have done',
    description: 'Returns the recorded actions of the last 400 days.',
    metadata: { who: { operator: 'owner', in: 'installation' } },
  },
  listDatabaseActions: {
    method: 'GET',
    path: `${operatorDatabasePath}/actions`,
    pathParams: DatabasePath,
    query: strict({
      ...PageQuery.shape,
      target: field('Only what was done to this user or tenant.', id('ID of the user or tenant.').optional()),
    }),
    responses: { 200: OperatorActionList, ...failures(...operatorProblems) },
    summary: 'List what operators have done in a database',
    description:
      'Returns the recorded actions of the last 400 days. What was done to a member is found by the user.',
    metadata: { who: { operator: 'member', in: 'workspace' } },
  },
} satisfies DescribedRoutes)
