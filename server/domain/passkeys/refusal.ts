import { Problem } from '../problem.js'
import { RefusedResponse } from './signed-data.js'

/** Returns a handler that turns a refused response of an authenticator into a problem. */
export const ifRefused =
  (code: 'passkey_invalid' | 'second_factor_invalid' = 'passkey_invalid') =>
  (error: unknown): never => {
    throw error instanceof RefusedResponse
      ? new Problem(code, { cause: error, detail: error.message })
      : error
  }
