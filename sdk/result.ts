import type { UsherError } from './errors.js'

/** The result of a call: either `data` or `error` is set, the other one is undefined. */
export type Result<Data, Code extends string> =
  | { data: Data; error: undefined }
  | { data: undefined; error: UsherError<Code> }

/** Returns the data of a result. Throws its error, for callers such as TanStack Query that expect that. */
export async function orThrow<Data>(
  result: Result<Data, string> | Promise<Result<Data, string>>,
): Promise<Data> {
  const { data, error } = await result
  if (error) throw error
  return data
}
