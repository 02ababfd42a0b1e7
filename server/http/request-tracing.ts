import { type Context, context, propagation, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { loadedTracer, markSpanFailed } from '../telemetry/tracing.js'

/**
 * Adds the trace of the `traceparent` header to the log lines of a request. If an OpenTelemetry SDK is loaded, also
 * creates a server span, which is the parent of the spans of hashes and statements. The span names the route instead
 * of the path, because clients may put secrets into a path by mistake.
 */
export function traceRequests(app: FastifyInstance) {
  const tracer = loadedTracer()
  if (!tracer) {
    app.addHook('onRequest', (request, _reply, done) => {
      const { traceparent } = request.headers
      const found = typeof traceparent === 'string' && readTraceparent(traceparent)
      if (found) logWith(request, found)
      done()
    })
    return
  }
  const contexts = new WeakMap<FastifyRequest, Context>()
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, protocol, route } = request
    const attributes = {
      'http.request.method': method,
      'url.scheme': protocol,
      ...(route && { 'http.route': route }),
    }
    const parent = propagation.extract(ROOT_CONTEXT, request.headers)
    const span = tracer.startSpan(
      route ? `${method} ${route}` : method,
      { kind: SpanKind.SERVER, attributes },
      parent,
    )
    const { traceId, spanId } = span.spanContext()
    contexts.set(request, trace.setSpan(parent, span))
    logWith(request, { trace_id: traceId, span_id: spanId })
    done()
  })
  // Not in an earlier hook, because the body arrives in events of the connection, outside the context of the request.
  app.addHook('preHandler', (request, _reply, done) =>
    context.with(contexts.get(request) ?? ROOT_CONTEXT, done),
  )
  app.addHook('onResponse', (request, reply, done) => {
    const span = trace.getSpan(contexts.get(request) ?? ROOT_CONTEXT)
    span?.setAttribute('http.response.status_code', reply.statusCode)
    if (span && reply.statusCode >= 500) markSpanFailed(span, String(reply.statusCode))
    span?.end()
    done()
  })
}

/** Adds fields to all log lines of a request, also to those of Fastify. */
function logWith(request: FastifyRequest, fields: TraceContext) {
  request.log = request.log.child(fields)
}

/** The logged fields of a trace context (W3C Trace Context, level 1), with the names of OpenTelemetry. */
export interface TraceContext {
  trace_id: string
  span_id: string
}

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

/** Parses a `traceparent` header. Returns undefined if it is invalid (§3.2.2). */
export function readTraceparent(header: string): TraceContext | undefined {
  const [, version, trace_id = '', span_id = '', more] = header.match(traceparent) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return
  if (/^0+$/.test(trace_id) || /^0+$/.test(span_id)) return
  return { trace_id, span_id }
}
