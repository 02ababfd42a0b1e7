import type { onRequestAsyncHookHandler } from 'fastify'
import { assertRequirement, type Requirement } from './requirement.js'
import type { VerifiedUser } from './user.js'
import type { Verifier } from './verifier.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The user of the token, after `requireUser`. */
    user: VerifiedUser
  }
}

/** Returns an `onRequest` hook that sets `request.user`, or responds with 401 or 503 and a problem document. */
export function requireUser(
  { verify }: Pick<Verifier, 'verify'>,
  requirement?: Requirement,
): onRequestAsyncHookHandler {
  assertRequirement('requireUser', requirement)
  return async (request, reply) => {
    const { data, error } = await verify(request.headers.authorization, requirement)
    if (error) {
      return reply
        .code(error.status)
        .headers(error.headers)
        .type('application/problem+json')
        .send(error.toJSON())
    }
    request.user = data
  }
}
