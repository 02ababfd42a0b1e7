import { initContract } from '@ts-rest/core'
import { codes } from './codes.js'
import { connections } from './connections.js'
import { discovery } from './discovery.js'
import { emailChange } from './email-change.js'
import { factors } from './factors.js'
import { features } from './features.js'
import { identities } from './identities.js'
import { invitations } from './invitations.js'
import { logins } from './logins.js'
import { me } from './me.js'
import { passkeys } from './passkeys.js'
import { service } from './service.js'
import { sessions } from './sessions.js'
import { sso } from './sso.js'
import { tenants } from './tenants.js'
import { users } from './users.js'
import { work } from './work.js'

export * from './codes.js'
export * from './connections.js'
export * from './database-path.js'
export * from './discovery.js'
export { canonicalEmail, Email, foldEmail } from './email.js'
export * from './email-change.js'
export { hasExactNumbers, inexact } from './exact-numbers.js'
export { Factor } from './factor.js'
export * from './factor-bodies.js'
export * from './factors.js'
export * from './features.js'
export { FieldError, FieldErrorCode, toFieldError } from './field-errors.js'
export * from './identities.js'
export * from './invitations.js'
export type { SessionList } from './listed-sessions.js'
export { canonicalLocale } from './locale.js'
export * from './logins.js'
export * from './me.js'
export {
  type FieldRight,
  isHostOnly,
  type OperatorRight,
  operatorRightOf,
  type RouteMetadata,
  type RoutesOf,
  scopeOf,
  takesPortal,
  takesTenantToken,
  userTokenOf,
} from './metadata.js'
export { normalized } from './normalized.js'
export {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from './passkey-options.js'
export { AuthenticationResponseJSON, RegistrationResponseJSON } from './passkey-responses.js'
export * from './passkeys.js'
export * from './problems.js'
export * from './second-factor.js'
export * from './second-step.js'
export { Health, ProblemType } from './service.js'
export * from './sessions.js'
export { CreateUserBody, IdempotencyHeaders } from './sign-up.js'
export * from './sso.js'
export * from './sso-bodies.js'
export { MemberPath, TenantPath } from './tenant-path.js'
export * from './tenants.js'
export { typedCode } from './typed-text.js'
export * from './users.js'
export * from './work.js'
export { Work } from './work-needed.js'

/** The whole API. The server implements it, and the OpenAPI document and the types of the SDK are generated from it. */
export const contract = initContract().router({
  users,
  logins,
  connections,
  sessions,
  me,
  identities,
  factors,
  passkeys,
  codes,
  emailChange,
  tenants,
  invitations,
  sso,
  features,
  work,
  discovery,
  service,
})
