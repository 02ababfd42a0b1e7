import {
  type ProxyTracerProvider,
  type Span,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { version } from '../version.js'

/** Usher's tracer where the operator has loaded an OpenTelemetry SDK; elsewhere nothing is spent on spans. */
export function loadedTracer(): Tracer | undefined {
  const provider = trace.getTracerProvider()
  return 'getDelegateTracer' in provider
    ? (provider as ProxyTracerProvider).getDelegateTracer('usher', version)
    : provider.getTracer('usher', version)
}

/** Runs work inside a span, which tells that it failed and by which code, but never a message: it may hold an address. */
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

/** @param type one of few: a status, a code, or the name of a class of errors */
export function markSpanFailed(span: Span, type: string) {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR })
}

const codeOf = (error: unknown) =>
  error instanceof Error ? ('code' in error && error.code ? String(error.code) : error.name) : typeof error

/** Sends the spans that the SDK still keeps; before the end, for no exit of a process waits for them. */
export async function flushSpans() {
  const provider = trace.getTracerProvider() as { getDelegate?: () => { forceFlush?: () => Promise<void> } }
  await provider.getDelegate?.().forceFlush?.()
}
