import { z } from 'zod'
import { NewEmail } from '../email.js'
import { NewPassword, shownUser } from '../fields.js'
import { body } from '../management/fields.js'
import { component, field } from '../registry.js'
import { OperatorRole, timeOf } from './fields.js'

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
    email: field('Address of the operator.', NewEmail.clone(undefined, { parent: true }), {
      examples: ['ada@example.com'],
    }),
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
    email: field('Address of the operator.', NewEmail.clone(undefined, { parent: true }), {
      examples: ['grace@example.com'],
    }),
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
