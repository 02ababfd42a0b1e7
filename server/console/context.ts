import type { Client } from '@usher/sdk'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { DataOf } from './api.js'
import { type OperationName, operations, roles } from './operations.js'
import type { Place } from './places.js'

export type Operator = DataOf<'getOperator'>
export type Role = (typeof roles)[number]

/** What every screen knows. */
export interface Console {
  info: DataOf<'getConsole'>
  client: Client
  operator: Operator
  place: Place
  /** Shows that the page does not exist, instead of the screen. */
  showMissing(): void
}

export const ConsoleContext = createContext<Console | undefined>(undefined)

/** Returns what every screen knows, and whether the operator may use an operation here. */
export function useConsole() {
  const console = useContext(ConsoleContext)
  if (!console) throw new Error('only inside of the console')
  const { operator, place } = console
  return {
    ...console,
    at: { workspaceSlug: place.workspaceSlug, databaseName: place.databaseName },
    /** Whether the role of the operator allows an operation. The server decides anyway. */
    may: (name: OperationName) => may(operator, name, place.workspaceSlug),
  }
}

/** Returns the role of an operator in a workspace, or in the installation. Undefined if there is none. */
export function roleIn({ rights }: Operator, workspaceSlug: string): Role | undefined {
  const held = rights.filter(({ workspace }) => workspace === null || workspace === workspaceSlug)
  return roles.findLast((role) => held.some((right) => right.role === role))
}

export function may(operator: Operator, name: OperationName, workspaceSlug: string) {
  const { path, role: needed } = operations[name]
  // Others are of the installation.
  const isOfWorkspace = path.includes(':workspaceSlug')
  const role = roleIn(operator, isOfWorkspace ? workspaceSlug : '')
  return !needed || (role !== undefined && roles.indexOf(role) >= roles.indexOf(needed as Role))
}

/** Returns what operators call a role. */
export const roleName = (role: string | undefined) => (role === 'member' ? 'viewer' : (role ?? 'none'))
