import type { FieldError } from '@usher/contract'

/** Why a line is rejected. The errors and the message never show a hash. */
export class LineError extends Error {
  constructor(readonly errors: readonly FieldError[]) {
    super(errors.map(({ path, detail }) => [path, detail].filter(Boolean).join(': ')).join('; '))
  }
}

/** Returns the error of a field of a line, or of the whole line. */
export const lineError = (path: string, detail: string) =>
  new LineError([{ path, code: 'invalid_type', detail }])
