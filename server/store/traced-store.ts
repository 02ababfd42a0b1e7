import { type Attributes, SpanKind, type Tracer } from '@opentelemetry/api'
import { inSpan, loadedTracer } from '../telemetry/tracing.js'
import type { Prisma, PrismaClient } from './generated/client.js'
import type { Store } from './store.js'

/** Returns a store that adds a span to each statement if an OpenTelemetry SDK is loaded. */
export function tracedStore(store: Store): Store {
  const tracer = loadedTracer()
  if (!tracer) return store
  const tracedQuery =
    (query: Store['query']): Store['query'] =>
    (text, values, milliseconds) =>
      inStatement(tracer, text, () => query(text, values, milliseconds))
  let prisma: Promise<PrismaClient> | undefined
  return {
    ...store,
    query: tracedQuery(store.query),
    transaction: (databaseId, work, milliseconds) =>
      store.transaction(databaseId, (query) => work(tracedQuery(query)), milliseconds),
    loadPrisma() {
      prisma ??= store.loadPrisma().then((client) => tracedPrisma(client, tracer))
      return prisma
    },
  }
}

const tracedPrisma = (prisma: PrismaClient, tracer: Tracer) =>
  prisma.$extends({
    query: {
      $allOperations({ model, operation, args, query }) {
        if (!model) return inStatement(tracer, textOf(args), () => query(args))
        const attributes = { 'db.operation.name': operation, 'db.collection.name': model }
        return inClientSpan(tracer, { name: `${operation} ${model}`, attributes }, () => query(args))
      },
    },
  }) as unknown as PrismaClient

/** Runs a statement in a span. @param text with placeholders, because spans must contain no values */
function inStatement<T>(tracer: Tracer, text: string, work: () => Promise<T>) {
  const summary = summaryOf(text)
  const attributes = { 'db.query.summary': summary, 'db.query.text': text.replace(/\s+/g, ' ').trim() }
  return inClientSpan(tracer, { name: summary, attributes }, work)
}

const inClientSpan = <T>(
  tracer: Tracer,
  { name, attributes }: { name: string; attributes: Attributes },
  work: () => Promise<T>,
) =>
  inSpan(
    tracer,
    { name, kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'postgresql', ...attributes } },
    work,
  )

/** Returns the text of a statement. Prisma passes an object with the text, or the text and the values. */
const textOf = (args: unknown) => String(Array.isArray(args) ? args[0] : (args as Prisma.Sql).text)

/** Returns what a statement writes, or what it reads: `INSERT user INSERT tenant`, `SELECT membership user`. */
function summaryOf(text: string) {
  const writes = [...text.matchAll(/\b(INSERT|UPDATE|DELETE)(?: INTO| FROM)?\s+usher\."?(\w+)/g)]
  const reads = [...text.matchAll(/\b(?:FROM|JOIN)\s+usher\."?(\w+)/g)]
  return writes.length > 0
    ? [...new Set(writes.map(([, verb, table]) => `${verb} ${table}`))].join(' ')
    : ['SELECT', ...new Set(reads.map(([, table]) => table))].join(' ')
}
