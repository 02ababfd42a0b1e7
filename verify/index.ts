export { VerifyError, type VerifyErrorCode } from './errors.js'
export type { BodyReader, Fetch, FetchInit, FetchResponse } from './get-json.js'
export {
  type Claims,
  createVerifier,
  type Result,
  type VerifiedUser,
  type Verifier,
  type VerifierOptions,
} from './verifier.js'
