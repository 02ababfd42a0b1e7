import type { FastifyInstance } from 'fastify'
import { ClientDisconnected } from '../domain/problem.js'

/** The status of a request whose client has disconnected, as in nginx. Appears only in log and metrics. */
export const clientClosedRequest = 499

/**
 * Ends a request with status 499 when its client disconnects before the response is sent. Fastify runs onResponse
 * hooks (log, metrics, traces) only when the response emits `finish` or `error`, and neither follows a disconnect.
 */
export function endWhenDisconnected(app: FastifyInstance) {
  app.addHook('onRequest', (_request, { raw }, done) => {
    let hasEnded = false
    const end = () => {
      hasEnded = true
    }
    raw.once('finish', end).once('error', end)
    raw.once('close', () => {
      if (hasEnded) return
      raw.statusCode = clientClosedRequest
      raw.emit('error', new ClientDisconnected())
    })
    done()
  })
}
