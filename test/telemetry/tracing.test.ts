import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { tracedStore } from '../../server/store/traced-store.js'
import { password, startApp, validUser } from '../support/app.js'
import { withPrisma } from '../support/open-store.js'
import { openTestStore } from '../support/store.js'

const exporter = new InMemorySpanExporter()
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
provider.register()

const route = '/workspaces/:workspaceSlug/databases/:databaseName/users'
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'

const store = await withPrisma(tracedStore(await openTestStore()))
// A hasher of its own, whose jobs have spans.
const usher = await startApp(store, { HASH_CONCURRENCY: '2' })
const database = await usher.newDatabase()
// Otherwise each sign-up of the first seconds stores the dummy hash, which adds a span.
const { dummyHash } = usher.context.hashing
await store.prisma.hashParameters.create({ data: { databaseId: database.id, dummyHash } })
afterAll(async () => {
  await usher.close()
  await store.close()
  await provider.shutdown()
  trace.disable()
})
let loggedBefore = 0
beforeEach(async () => {
  // A first request caches the database, so that the next trace has only the spans of its operation.
  await database.signedUp()
  exporter.reset()
  loggedBefore = usher.logged().length
})

/** Returns the server span and its child spans, in the order in which they ended. */
function tree(spans = exporter.getFinishedSpans()) {
  const root = spans.find(({ kind }) => kind === SpanKind.SERVER)
  const children = spans.filter((span) => span.parentSpanContext?.spanId === root?.spanContext().spanId)
  return { root: root as ReadableSpan, children, names: children.map(({ name }) => name), all: spans }
}

const send = (method: 'GET' | 'POST', url: string, payload?: object, more: Record<string, string> = {}) =>
  usher.send({
    method,
    url,
    ...(payload && { payload }),
    headers: { traceparent: `00-${traceId}-${parentId}-01`, ...more },
  })

describe('OpenTelemetry SDK', () => {
  it('a sign-up creates a server span with child spans for the hash and the statement', async () => {
    const { statusCode } = await send('POST', database.users, validUser({ newTenant: 'Compilers' }))
    expect(statusCode).toBe(201)
    const { root, names, children, all } = tree()
    expect(root.name).toBe(`POST ${route}`)
    expect(root.attributes).toEqual({
      'http.request.method': 'POST',
      'url.scheme': 'http',
      'http.route': route,
      'http.response.status_code': 201,
    })
    expect(root.spanContext().traceId).toBe(traceId)
    expect(root.parentSpanContext?.spanId).toBe(parentId)
    expect(root.status.code).toBe(SpanStatusCode.UNSET)
    expect(names).toEqual(['password hash', 'INSERT user INSERT tenant INSERT membership'])
    expect(children.map(({ kind }) => kind)).toEqual([SpanKind.INTERNAL, SpanKind.CLIENT])
    expect(all).toHaveLength(3)
  })

  it('a login creates spans for the query and the password verification', async () => {
    const body = validUser()
    await database.signedUp(body)
    // The first login from a network also notes the network.
    await send('POST', `${database.users}/login`, body)
    exporter.reset()
    await send('POST', `${database.users}/login`, body)
    expect(tree().names).toEqual(['SELECT membership user known_network login_failures', 'password verify'])
  })

  it('GET /users/me creates a span with the statement and without its parameters', async () => {
    const { id, token } = await database.signedUp()
    exporter.reset()
    await send('GET', `${database.users}/me`, undefined, { authorization: `Bearer ${token.jwt}` })
    const { root, children } = tree()
    expect(root.name).toBe(`GET ${route}/me`)
    expect(children).toHaveLength(1)
    expect(children[0]?.attributes).toEqual({
      'db.system.name': 'postgresql',
      'db.query.summary': 'SELECT user session membership tenant',
      'db.query.text': expect.stringMatching(
        /^SELECT 1 AS place, u\.id, .* FROM \( SELECT \* FROM usher\."user" .* AS joined ON true$/,
      ),
    })
    expect(JSON.stringify(children[0]?.attributes)).not.toContain(id)
  })

  it('the span of a statement that concurrent requests share is linked with the spans of all of them', async () => {
    const { token } = await database.signedUp()
    exporter.reset()
    const authorization = `Bearer ${token.jwt}`
    const me = () => usher.send({ method: 'GET', url: `${database.users}/me`, headers: { authorization } })
    await Promise.all([me(), me(), me()])
    const spans = exporter.getFinishedSpans()
    const [statement, ...more] = spans.filter(({ kind }) => kind === SpanKind.CLIENT)
    expect(more).toEqual([])
    const servers = spans.filter(({ kind }) => kind === SpanKind.SERVER)
    const idOf = (span: ReadableSpan) => span.spanContext().spanId
    const others = servers.filter((span) => idOf(span) !== statement?.parentSpanContext?.spanId)
    expect(others).toHaveLength(2)
    expect(statement?.links.map(({ context }) => context.spanId)).toEqual(others.map(idOf))
    for (const { links } of others)
      expect(links.map(({ context }) => context.spanId)).toEqual([idOf(statement as ReadableSpan)])
  })

  it('the first request to a database reads the database and its keys', async () => {
    const other = await usher.newDatabase()
    exporter.reset()
    await send('GET', other.users.replace(/users$/, '.well-known/jwks.json'))
    expect(tree().names).toEqual(['SELECT workspace database', 'SELECT hash_parameters signing_key'])
  })

  it('spans of Prisma operations contain the model name', async () => {
    await store.prisma.database.findFirst()
    const [span] = exporter.getFinishedSpans()
    expect(span?.name).toBe('findFirst Database')
    expect(span?.attributes).toEqual({
      'db.system.name': 'postgresql',
      'db.operation.name': 'findFirst',
      'db.collection.name': 'Database',
    })
  })

  it('log lines contain the trace id and span id of the request', async () => {
    await send('POST', `${database.users}/login`, { email: 'nobody@example.com', password })
    const { root } = tree()
    const ids = { trace_id: traceId, span_id: root.spanContext().spanId }
    const text = usher.logged().slice(loggedBefore)
    const lines: Record<string, unknown>[] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.map(({ msg }) => msg)).toEqual(['login.failed', 'answered'])
    for (const line of lines) expect(line).toMatchObject(ids)
  })

  it('a request without traceparent starts a trace, and an unknown path is not in the span name', async () => {
    await usher.send({ method: 'GET', url: '/ada@example.com' })
    const { root } = tree()
    expect(root.name).toBe('GET')
    expect(root.parentSpanContext).toBeUndefined()
    expect(root.attributes).toMatchObject({ 'http.response.status_code': 404 })
    expect(root.status.code).toBe(SpanStatusCode.UNSET)
  })

  it('no span contains an email, password or token, also when requests fail', async () => {
    const body = validUser()
    const { token } = await database.signedUp(body)
    await send('POST', database.users, body)
    await send('POST', `${database.users}/login`, { ...body, password: 'another password' })
    const authorization = `Bearer ${token.jwt}`
    const urlWithEmail = `${database.users}/me?email=${body.email}`
    await send('GET', urlWithEmail, undefined, { authorization })
    await store.prisma.$executeRaw`ALTER TABLE usher."user" RENAME TO gone`
    await send('GET', urlWithEmail, undefined, { authorization })
    await store.prisma.$executeRaw`ALTER TABLE usher.gone RENAME TO "user"`

    const { all } = tree()
    const failed = all.filter(({ status }) => status.code === SpanStatusCode.ERROR)
    expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
      ['INSERT user', '23505'],
      ['SELECT user session membership tenant', expect.stringMatching(/^P2010$|^42P01$/)],
      [`GET ${route}/me`, '500'],
    ])
    const spans = JSON.stringify(
      all.map(({ name, attributes, status, events }) => [name, attributes, status, events]),
    )
    for (const secret of [body.email, 'example.com', password, 'another password', ...token.jwt.split('.')]) {
      expect(spans).not.toContain(secret)
    }
  })
})
