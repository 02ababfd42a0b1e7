import { initContract } from '@ts-rest/core'
import { z } from 'zod'
import { NewEmail } from '../email.js'
import { failures } from '../failures.js'
import { id, NewPassword, shownUser } from '../fields.js'
import { body, NoQuery } from '../management/fields.js'
import { component, field } from '../registry.js'
import {
  ConfirmationHeaders,
  OperatorRole,
  type OperatorRoutes,
  operatorProblems,
  operatorWriteProblems,
  timeOf,
} from './fields.js'

const c = initContract()

const workspace = () =>
  field('Slug of the workspace. Null: the role counts in the whole installation.', z.string().nullable(), {
    examples: ['acme'],
  })

/** A role of an operator. */
const Right = component(
  { id: 'Right', description: 'A role of an operator.' },
  z.object({ workspace: workspace(), role: OperatorRole }),
)

/** A user of the operators’ database. */
export const Operator = component(
  { id: 'Operator', description: 'A user of the operators’ database.' },
  z.object({
    ...shownUser,
    rights: field('The roles of the operator.', z.array(Right)),
    joinedAt: timeOf('When the operator was added.'),
  }),
)
export type Operator = z.infer<typeof Operator>

export const OperatorList = component(
  { id: 'OperatorList', description: 'All operators.' },
  z.object({ operators: field('The operators, the oldest first.', z.array(Operator)) }),
)
export type OperatorList = z.infer<typeof OperatorList>

/** Where operators log in. */
export const ConsoleInfo = component(
  { id: 'ConsoleInfo', description: 'Where operators log in.' },
  z.object({
    workspace: field('Slug of the workspace of the operators’ database.', z.string(), {
      examples: ['usher'],
    }),
    database: field('Name of the operators’ database.', z.string(), { examples: ['operators'] }),
    hasOperators: field(
      'Whether there is an operator. Otherwise the first one needs a link of the host.',
      z.boolean(),
    ),
    version: field('Version of the server.', z.string(), { examples: ['0.2.0'] }),
  }),
)
export type ConsoleInfo = z.infer<typeof ConsoleInfo>

export const CreateFirstOperatorBody = body(
  {
    id: 'CreateFirstOperatorBody',
    description: 'The first operator.',
    example: { code: 'eyJ…', email: 'ada@example.com', password: 'four random common words' },
  },
  {
    code: field('The code of the link that the server has printed.', z.string().max(2_000)),
    email: field('Address of the operator.', NewEmail, { examples: ['ada@example.com'] }),
    password: NewPassword,
  },
)
export type CreateFirstOperatorBody = z.infer<typeof CreateFirstOperatorBody>

export const AddOperatorBody = body(
  {
    id: 'AddOperatorBody',
    description: 'An operator to add, or another right of an existing one.',
    example: { email: 'grace@example.com', workspace: 'acme', role: 'support' },
  },
  {
    email: field('Address of the operator.', NewEmail, { examples: ['grace@example.com'] }),
    workspace: workspace(),
    role: OperatorRole,
  },
)
export type AddOperatorBody = z.infer<typeof AddOperatorBody>

export const AddedOperator = component(
  { id: 'AddedOperator', description: 'The operator, and how a new one gets a password.' },
  z.object({
    operator: Operator,
    link: field(
      'Where a new operator chooses a password, valid for an hour. Null for an existing operator.',
      z.string().nullable(),
    ),
  }),
)
export type AddedOperator = z.infer<typeof AddedOperator>

export const ChangeOperatorBody = body(
  {
    id: 'ChangeOperatorBody',
    description: 'A role of an operator.',
    example: { workspace: 'acme', role: 'admin' },
  },
  { workspace: workspace(), role: field('The role. Null removes it.', OperatorRole.nullable()) },
)
export type ChangeOperatorBody = z.infer<typeof ChangeOperatorBody>

const OperatorPath = z.object({ operatorId: id('ID of the operator.') })

/** Operations without a token. */
export const consoleRoutes = c.router({
  getConsole: {
    method: 'GET',
    path: '/operator/console',
    responses: { 200: ConsoleInfo, ...failures('unavailable', 'route_not_found') },
    summary: 'Get where operators log in',
    description: 'Needs no token.',
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
    metadata: { hashesPassword: true },
  },
})

export const operators = c.router({
  getOperator: {
    method: 'GET',
    path: '/operator/me',
    responses: { 200: Operator, ...failures(...operatorProblems) },
    summary: 'Get the current operator',
    description: 'Returns the operator of the token with all rights.',
    metadata: { security: 'bearer', role: 'member', in: 'anywhere' },
  },
  listOperators: {
    method: 'GET',
    path: '/operator/operators',
    query: NoQuery,
    responses: { 200: OperatorList, ...failures(...operatorProblems) },
    summary: 'List operators',
    description: 'Returns all operators with their rights.',
    metadata: { security: 'bearer', role: 'owner', in: 'installation' },
  },
  addOperator: {
    method: 'POST',
    path: '/operator/operators',
    headers: ConfirmationHeaders,
    body: AddOperatorBody,
    responses: { 201: AddedOperator, ...failures('step_up_required', ...operatorWriteProblems) },
    summary: 'Add an operator',
    description: 'Creates an operator, or gives an existing one another right.',
    metadata: { security: 'bearer', role: 'owner', in: 'installation', confirms: true },
  },
  changeOperator: {
    method: 'PATCH',
    path: '/operator/operators/:operatorId',
    pathParams: OperatorPath,
    headers: ConfirmationHeaders,
    body: ChangeOperatorBody,
    responses: {
      200: Operator,
      ...failures('step_up_required', 'user_not_found', ...operatorWriteProblems),
    },
    summary: 'Change a right of an operator',
    description: 'Refused if the installation would have no owner.',
    metadata: { security: 'bearer', role: 'owner', in: 'installation', confirms: true },
  },
  removeOperator: {
    method: 'DELETE',
    path: '/operator/operators/:operatorId',
    pathParams: OperatorPath,
    headers: ConfirmationHeaders,
    body: c.noBody(),
    responses: { 204: c.noBody(), ...failures('step_up_required', ...operatorWriteProblems) },
    summary: 'Remove an operator',
    description: 'Deletes the operator. Refused for the last owner of the installation.',
    metadata: { security: 'bearer', role: 'owner', in: 'installation', confirms: true },
  },
} satisfies OperatorRoutes)
