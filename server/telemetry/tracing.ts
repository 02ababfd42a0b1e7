import {
  type ProxyTracerProvider,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { version } from '../version.js'

/** Returns Usher's tracer, or undefined without an OpenTelemetry SDK, so that spans cost no time then. */
export function loadedTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider()
  return 'getDelegateTracer' in provider
    ? (provider as ProxyTracerProvider).getDelegateTracer('usher', version)
    : provider.getTracer('usher', version)
}

/** Runs work in a span. The span contains the code of an error but not its message, which may contain an email. */
export function inSpan<T>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, options, async (span) => {
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
