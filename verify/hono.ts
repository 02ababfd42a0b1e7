import type { MiddlewareHandler } from 'hono'
import { assertRequirement, type Requirement } from './requirement.js'
import type { VerifiedUser } from './user.js'
import type { Verifier } from './verifier.js'

/** Returns middleware that sets the variable `user`, or responds with 401 or 503 and a problem document. */
export function requireUser<Own extends object = object>(
  { verify }: Pick<Verifier<Own>, 'verify'>,
  requirement?: Requirement,
): MiddlewareHandler<{ Variables: { user: VerifiedUser<Own> } }> {
  assertRequirement('requireUser', requirement)
  return async (context, next) => {
    const { data, error } = await verify(context.req.header('authorization'), requirement)
    if (error) {
      const headers = { ...error.headers, 'Content-Type': 'application/problem+json' }
      return context.body(JSON.stringify(error), error.status, headers)
    }
    context.set('user', data)
    return next()
  }
}
