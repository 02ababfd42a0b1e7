import { managementProblems } from './management/problems.js'
import { type CatalogueEntry, type ProblemHeader, problems } from './problems.js'

/** The problems of the API and of the management API, by code. */
export const everyProblem = { ...problems, ...managementProblems }

/** Stable code of any problem. */
export type AnyProblemCode = keyof typeof everyProblem

export const isProblemCode = (code: string): code is AnyProblemCode => Object.hasOwn(everyProblem, code)

/** Returns the headers of every response with a problem. */
export const problemHeaders = (code: AnyProblemCode): readonly ProblemHeader[] => {
  const entry: CatalogueEntry = everyProblem[code]
  return entry.headers ?? []
}
