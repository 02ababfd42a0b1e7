import { z } from 'zod'
import { DatabasePath, databasePath } from '../database-path.js'
import { databaseProblems, tokenProblems, withoutBodyProblems } from '../failures.js'
import { component, field } from '../registry.js'

/** What an operator may do, with the least rights first. Each role has the rights of those before it. */
export const operatorRoles = ['member', 'support', 'admin', 'owner'] as const
export const OperatorRole = component(
  {
    id: 'OperatorRole',
    description:
      'What an operator may do: `member` reads, `support` helps users, `admin` changes users and settings, `owner` everything.',
  },
  z.enum(operatorRoles),
)
export type OperatorRole = z.infer<typeof OperatorRole>

/** Path of what operators do with a database. */
export const operatorDatabasePath = `/operator${databasePath}` as const

export { DatabasePath }

/** Headers of an operation that is dangerous. */
export const ConfirmationHeaders = z.object({
  'usher-confirmation': field(
    'A confirmation of `stepUp` of the operators’ database, at most 10 minutes old.',
    z.string().max(2_000).optional(),
  ),
})

/** Problems of every operation of operators. */
export const operatorProblems = [
  'role_insufficient',
  'validation_failed',
  ...tokenProblems,
  ...databaseProblems,
] as const

/** Problems of every operation that changes something. */
export const operatorWriteProblems = [...withoutBodyProblems, ...operatorProblems] as const

/** Returns the schema of a time in a response. */
export const timeOf = (description: string) => field(description, z.iso.datetime())
