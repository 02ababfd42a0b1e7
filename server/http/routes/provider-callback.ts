import { contract, DatabasePath, isProblemCode, problems } from '@usher/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AppContext } from '../../domain/context.js'
import { returnFromProvider } from '../../domain/login/provider.js'
import { Problem, problemOf } from '../../domain/problem.js'
import { requireServed } from '../console-access.js'
import { htmlPage, pageHeaders } from '../html-page.js'
import { RequestCaller } from '../request-caller.js'

type Callback = { Params: DatabasePath & { connection: string }; Body: string | undefined }

/**
 * Serves the URL to which providers lead the browser back, with the result in the query or in a form that the browser posts
 * (OAuth 2.0 Form Post Response Mode). No operation of the contract, because clients never call it. Responds with a redirect to
 * the app, or with a page if it does not know where to.
 */
export const providerCallback = (app: FastifyInstance, context: AppContext) =>
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    const form = 'application/x-www-form-urlencoded'
    scope.addContentTypeParser(form, { parseAs: 'string' }, (_request, body, done) => done(null, body))
    scope.route<Callback>({
      method: ['GET', 'POST'],
      // A HEAD request, such as of a link scanner, would use the login up.
      exposeHeadRoute: false,
      url: `${contract.connections.listConnections.path}/:connection/callback`,
      async handler(request, reply) {
        try {
          const url = await returnFromProvider(context, await readReturn(context, request, reply))
          return reply.status(303).header('location', url).send()
        } catch (error) {
          return sendPage(reply, problemOf(error))
        }
      },
    })
  })

async function readReturn(context: AppContext, request: FastifyRequest<Callback>, reply: FastifyReply) {
  const { method, url, params, body = '' } = request
  const path = DatabasePath.safeParse(params)
  if (!path.data) throw new Problem('database_not_found')
  const [, query = ''] = url.split(/\?(.*)/s)
  const database = await context.findDatabase(path.data)
  requireServed(request, database)
  return {
    database,
    caller: new RequestCaller(request, reply, context.hashing),
    connection: params.connection,
    parameters: new URLSearchParams(method === 'POST' ? body : query),
  }
}

/** Sends a problem as a page. Throws what is not the fault of the request. */
function sendPage(reply: FastifyReply, problem: Problem) {
  const { code } = problem
  if (code === 'internal_error' || !isProblemCode(code)) throw problem
  const { status, title, advice } = problems[code]
  if (problem.retryAfterSeconds) reply.header('retry-after', problem.retryAfterSeconds)
  const isForged = code === 'code_invalid'
  return reply
    .status(status)
    .headers(pageHeaders)
    .send(isForged ? htmlPage('Login is not valid', [loginAdvice]) : htmlPage(title, [advice]))
}

const loginAdvice = 'It was not started here, or is too old. Go back to the app and log in again.'
