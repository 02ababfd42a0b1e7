import { Scope } from '@usher/contract/management'
import type { ApiKey } from '../api-keys/admit-api-key.js'
import type { AdmittedOperator } from './operator-request.js'

/** Returns what stands for the API key of an operator's request, whose rights were checked. An Idempotency-Key belongs to it. */
export const keyOfOperator = ({ user }: Pick<AdmittedOperator, 'user'>): ApiKey => ({
  id: `operator ${user.id}`,
  scopes: new Set(Scope.options),
})

/** Returns whether a token was issued by a database. It is not verified. */
export function isIssuedBy({ issuer }: { issuer: string }, jwt: string) {
  const [, payload = '', mac] = jwt.split('.')
  if (mac === undefined) return false
  try {
    return JSON.parse(Buffer.from(payload, 'base64url').toString()).iss === issuer
  } catch {
    return false
  }
}
