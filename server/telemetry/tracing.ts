import {
  type Context,
  context,
  createContextKey,
  type ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { version } from '../version.js'

/** Returns Usher's tracer, or undefined if no OpenTelemetry SDK is loaded, so that spans cost no time. */
export function loadedTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider()
  return 'getDelegateTracer' in provider
    ? (provider as ProxyTracerProvider).getDelegateTracer('usher', version)
    : provider.getTracer('usher', version)
}

const sharers = createContextKey('spans of the requests that share the work')

/** Runs work that several requests share. Its spans are in the trace of the first request, and link to the others. */
export function inSharedContext<T>([first = ROOT_CONTEXT, ...others]: Context[], work: () => Promise<T>) {
  const spans = others.flatMap((other) => trace.getSpan(other) ?? [])
  return context.with(first.setValue(sharers, spans), work)
}

/**
 * Runs work in a span. The span contains the code of an error, but not the message, which may contain an email
 * address.
 */
export function inSpan<T>(
  tracer: Tracer,
  { name, ...options }: SpanOptions & { name: string },
  work: () => Promise<T>,
): Promise<T> {
  const others = (context.active().getValue(sharers) ?? []) as Span[]
  const links = others.map((other) => ({ context: other.spanContext() }))
  return tracer.startActiveSpan(name, { ...options, links }, async (span) => {
    for (const other of others) other.addLink({ context: span.spanContext() })
    try {
      return await work()
    } catch (error) {
      markSpanFailed(span, codeOf(error))
      throw error
    } finally {
      span.end()
    }
  })
}

/** @param type a status, a code, or the name of an error class */
export function markSpanFailed(span: Span, type: string) {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR })
}

const codeOf = (error: unknown) =>
  error instanceof Error ? ('code' in error && error.code ? String(error.code) : error.name) : typeof error

/** Sends the spans that the SDK buffers. Call this before the process exits. */
export async function flushSpans() {
  const provider = trace.getTracerProvider() as { getDelegate?: () => { forceFlush?: () => Promise<void> } }
  await provider.getDelegate?.().forceFlush?.()
}

/** Context key by which OpenTelemetry SDKs create no spans (`suppressTracing` of @opentelemetry/core). */
const suppressed = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING')

/** Runs background work, which belongs to no request, without spans. */
export const untraced = <T>(work: () => Promise<T>) =>
  context.with(context.active().setValue(suppressed, true), work)
