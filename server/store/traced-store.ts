import { type Attributes, SpanKind, type Tracer } from '@opentelemetry/api'
import { inSpan, loadedTracer } from '../telemetry/tracing.js'
import { Prisma, type PrismaClient } from './generated/client.js'
import type { Store } from './store.js'

/** Adds a span to each statement if an OpenTelemetry SDK is loaded. */
export function tracedStore(store: Store): Store {
  const tracer = loadedTracer()
  if (!tracer) return store
  const prisma = store.prisma.$extends({
    query: {
      $allOperations({ model, operation, args, query }) {
        if (!model) return inStatement(tracer, textOf(args), () => query(args))
        const attributes = { 'db.operation.name': operation, 'db.collection.name': model }
        return inClientSpan(tracer, `${operation} ${model}`, attributes, () => query(args))
      },
    },
  })
  return {
    ...store,
    prisma: prisma as unknown as PrismaClient,
    query: (text, values, milliseconds) =>
      inStatement(tracer, text, () => store.query(text, values, milliseconds)),
  }
}

/** @param text with placeholders: spans contain no values */
function inStatement<T>(tracer: Tracer, text: string, work: () => Promise<T>) {
  const summary = summaryOf(text)
  const attributes = { 'db.query.summary': summary, 'db.query.text': text.replace(/\s+/g, ' ').trim() }
  return inClientSpan(tracer, summary, attributes, work)
}

const inClientSpan = <T>(tracer: Tracer, name: string, attributes: Attributes, work: () => Promise<T>) =>
  inSpan(
    tracer,
    name,
    { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'postgresql', ...attributes } },
    work,
  )

const textOf = (args: unknown) =>
  args instanceof Prisma.Sql ? args.text : String(Array.isArray(args) ? args[0] : '')

/** Returns what a statement writes or else reads: `INSERT user INSERT tenant`, `SELECT membership user`. */
function summaryOf(text: string) {
  const writes = [...text.matchAll(/\b(INSERT|UPDATE|DELETE)(?: INTO| FROM)?\s+usher\."?(\w+)/g)]
  const reads = [...text.matchAll(/\b(?:FROM|JOIN)\s+usher\."?(\w+)/g)]
  return writes.length > 0
    ? [...new Set(writes.map(([, verb, table]) => `${verb} ${table}`))].join(' ')
    : ['SELECT', ...new Set(reads.map(([, table]) => table))].join(' ')
}
