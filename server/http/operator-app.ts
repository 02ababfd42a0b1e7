import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the app of the operators responds to the request, logs it and counts it. */
    isOfOperators: boolean
  }
}

const paths = /^\/(?:operator|console)(?:[/?]|$)/

/**
 * Passes the requests for the console and the operator API to an app of their own. It is built at the first one, because its contract
 * takes 13 MB, and most servers never get such a request.
 */
export function passToOperators(app: FastifyInstance, build: () => Promise<FastifyInstance>) {
  let built: Promise<FastifyInstance> | undefined
  app.decorateRequest('isOfOperators', false)
  app.addHook('onRequest', (request, reply, done) => {
    if (!paths.test(request.url)) return done()
    built ??= build()
    built.then(
      (operators) => {
        request.isOfOperators = true
        reply.hijack()
        operators.routing(request.raw, reply.raw)
      },
      (error) => {
        built = undefined
        done(error)
      },
    )
  })
  app.addHook('preClose', async () => (await built)?.close())
}
