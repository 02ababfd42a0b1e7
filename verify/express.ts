import type { RequestHandler } from 'express'
import { assertRequirement, type Requirement } from './requirement.js'
import type { VerifiedUser } from './user.js'
import type { Verifier } from './verifier.js'

declare global {
  namespace Express {
    interface Request {
      /** The user of the token, after `requireUser`. */
      user?: VerifiedUser
    }
  }
}

/** Returns a handler that sets `request.user`, or responds with 401 or 503 and a problem document. */
export function requireUser({ verify }: Pick<Verifier, 'verify'>, requirement?: Requirement): RequestHandler {
  assertRequirement('requireUser', requirement)
  return async (request, response, next) => {
    const { data, error } = await verify(request.headers.authorization, requirement)
    if (error) {
      response.status(error.status).set(error.headers).type('application/problem+json').json(error)
      return
    }
    request.user = data
    next()
  }
}
