/** Logged fields of a trace context (W3C Trace Context, level 1), named as in OpenTelemetry. */
export interface TraceContext {
  trace_id: string
  span_id: string
}

const traceparent = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/

/** Parses a `traceparent` header. Returns undefined if it is absent or invalid (§3.2.2). */
export function readTraceparent(header: string): TraceContext | undefined {
  const [, version, trace_id = '', span_id = '', more] = header.match(traceparent) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return
  if (/^0+$/.test(trace_id) || /^0+$/.test(span_id)) return
  return { trace_id, span_id }
}
