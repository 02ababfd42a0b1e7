import type { RouteMetadata, RoutesOf } from '@usher/contract'
import type { managementContract } from '@usher/contract/management'
import type { OperatorRole, operatorContract } from '@usher/contract/operator'

/** The operations of the contracts that operators use, by name. */
export type Routes = RoutesOf<Omit<typeof managementContract, 'service'>> & RoutesOf<typeof operatorContract>

export type OperationName = {
  [Name in keyof Routes]: Routes[Name] extends { metadata: { who: { operator: string } | 'anyone' } }
    ? Name
    : never
}[keyof Routes]

/** What the console needs of an operation. */
interface Described {
  method: string
  path: string
  /** The least role. Undefined for an operation without a token. */
  role?: OperatorRole
  records?: Exclude<RouteMetadata['records'], false>
}

// The contracts bring zod, which is half as large as the console, so the build writes what the console needs of them.
declare const DESCRIBED_OPERATIONS: Readonly<Record<OperationName, Described>>

/** Path, least role and words of each operation. */
export const operations = DESCRIBED_OPERATIONS

/** Roles, with the least rights first. */
export const roles = ['member', 'support', 'admin', 'owner'] as const satisfies readonly OperatorRole[]
