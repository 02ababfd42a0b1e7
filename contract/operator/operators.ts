import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { failures } from '../failures.js'
import { id } from '../fields.js'
import { NoQuery } from '../management/fields.js'
import type { DescribedRoutes } from '../metadata.js'
import { openCommandLineSession } from './command-line.js'
import { ConfirmationHeaders, operatorProblems, operatorWriteProblems } from './fields.js'
import {
  AddedOperator,
  AddOperatorBody,
  ChangeOperatorBody,
  ConsoleInfo,
  CreateFirstOperatorBody,
  Operator,
  OperatorList,
} from './operator-schemas.js'

const c = initContract()

const OperatorPath = z.object({ operatorId: id('ID of the operator.') })

/** Operations without a token. */
export const consoleRoutes = c.router({
  getConsole: {
    method: 'GET',
    path: '/operator/console',
    responses: { 200: ConsoleInfo, ...failures('unavailable', 'route_not_found') },
    summary: 'Get where operators log in',
    description: 'Needs no token.',
    metadata: { who: 'anyone' },
  },
  createFirstOperator: {
    method: 'POST',
    path: '/operator/first-operator',
    body: CreateFirstOperatorBody,
    responses: {
      201: Operator,
      ...failures(
        'code_invalid',
        'validation_failed',
        'malformed_json',
        'payload_too_large',
        'unsupported_media_type',
        'route_not_found',
        'unavailable',
      ),
    },
    summary: 'Create the first operator',
    description:
      'The code is in the link that the server prints at its start while there is no operator. It is valid for 24 hours. The operator is owner of the installation. The first login adds a second factor.',
    metadata: { who: 'anyone', hashesPassword: true },
  },
  openCommandLineSession,
} satisfies DescribedRoutes)

export const operators = c.router({
  getOperator: {
    method: 'GET',
    path: '/operator/me',
    responses: { 200: Operator, ...failures(...operatorProblems) },
    summary: 'Get the current operator',
    description: 'Returns the operator of the token with all rights.',
    metadata: { who: { operator: 'member', in: 'anywhere' }, isOwn: true },
  },
  listOperators: {
    method: 'GET',
    path: '/operator/operators',
    query: NoQuery,
    responses: { 200: OperatorList, ...failures(...operatorProblems) },
    summary: 'List operators',
    description: 'Returns all operators with their rights.',
    metadata: { who: { operator: 'owner', in: 'installation' } },
  },
  addOperator: {
    method: 'POST',
    path: '/operator/operators',
    headers: ConfirmationHeaders,
    body: AddOperatorBody,
    responses: { 201: AddedOperator, ...failures('step_up_required', ...operatorWriteProblems) },
    summary: 'Add an operator',
    description: 'Creates an operator, or gives an existing one another right.',
    metadata: {
      who: { operator: 'owner', in: 'installation' },
      confirms: 'always',
      records: { words: 'added the operator' },
    },
  },
  changeOperator: {
    method: 'PATCH',
    path: '/operator/operators/:operatorId',
    pathParams: OperatorPath,
    headers: ConfirmationHeaders,
    body: ChangeOperatorBody,
    responses: {
      200: Operator,
      ...failures('owner_needed', 'step_up_required', 'user_not_found', ...operatorWriteProblems),
    },
    summary: 'Change a right of an operator',
    description: 'Refused if the installation would have no owner.',
    metadata: {
      who: { operator: 'owner', in: 'installation' },
      confirms: 'always',
      records: { words: 'changed a right of the operator' },
    },
  },
  removeOperator: {
    method: 'DELETE',
    path: '/operator/operators/:operatorId',
    pathParams: OperatorPath,
    headers: ConfirmationHeaders,
    body: c.noBody(),
    responses: { 204: c.noBody(), ...failures('owner_needed', 'step_up_required', ...operatorWriteProblems) },
    summary: 'Remove an operator',
    description: 'Deletes the operator. Refused for the last owner of the installation.',
    metadata: {
      who: { operator: 'owner', in: 'installation' },
      confirms: 'always',
      records: { words: 'removed the operator' },
    },
  },
} satisfies DescribedRoutes)
