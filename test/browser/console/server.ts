import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Operator, operatorRoles } from '@usher/contract/operator'
import { startUsher } from '@usher/server/testing'
import bcrypt from 'bcrypt'
import { Secret, TOTP } from 'otpauth'
import { freePort } from '../../support/postgres-server.js'
import { findManagementRoute, findOperatorRoute, type OperatorOperation } from './contract-routes.js'
import { type Memory, stubDatabase, timeOf } from './memory.js'
import { etagOf, type StubCall, StubProblem, stubOperations } from './operations.js'

const folder = fileURLToPath(new URL('../../../server/dist/console', import.meta.url))
export const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')
const types: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html' }

const cookieName = 'usher-console'
const password = 'correct horse battery'
const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
const operatorsPath = '/workspaces/usher/databases/operators'

export type ConsoleServer = Awaited<ReturnType<typeof startConsole>>

/**
 * Starts a console. Operators and the users of the database `acme/app` are on a server of their own. The operator API, the session
 * cookie and the rights are a stub in memory.
 */
export async function startConsole() {
  const files = readFiles()
  const port = await freePort()
  const url = `http://localhost:${port}`
  const usher = await startUsher({
    workspace: 'usher',
    database: 'operators',
    secondFactor: 'required',
    signUp: false,
    passkeyDomain: 'localhost',
    passkeyOrigins: [url],
    appUrl: `${url}/console`,
  })
  const app = await usher.createDatabase({ workspace: 'acme', database: 'app', secondFactor: 'optional' })
  const keys = { operators: await usher.createApiKey(), 'acme/app': await usher.createApiKey(app) }
  const now = usher.now()
  const memory: Memory = {
    now: usher.now,
    workspaces: new Map([
      [
        'acme',
        {
          createdAt: timeOf(now - 400 * 86_400_000),
          databases: new Map([
            ['app', stubDatabase(now)],
            ['staging', stubDatabase(now, true)],
          ]),
        },
      ],
      [
        'globex',
        { createdAt: timeOf(now - 86_400_000), databases: new Map([['shop', stubDatabase(now, true)]]) },
      ],
    ]),
    operators: new Map(),
    actions: [],
  }
  const manage = async (key: string, path: string, init: RequestInit) => {
    const headers = { authorization: `Bearer ${key}`, ...init.headers }
    return fetch(`${usher.baseUrl}${path}`, { ...init, headers })
  }
  const json = { 'content-type': 'application/json' }
  const operations = stubOperations(memory, {
    url,
    firstCode: 'first',
    async add(email, given) {
      const body = JSON.stringify({ email, emailVerified: true, ...(given && { password: given }) })
      const added = await manage(keys.operators, `${operatorsPath}/management/users`, {
        method: 'POST',
        headers: json,
        body,
      })
      const { id, ...problem } = await added.json()
      if (!id) throw new StubProblem(added.status, problem.code, problem.title, problem.detail)
      if (given) return { id, code: undefined }
      const codes = `${operatorsPath}/management/users/${id}/codes`
      const purpose = JSON.stringify({ purpose: 'password_reset', deliver: 'return' })
      const created = await manage(keys.operators, codes, { method: 'POST', headers: json, body: purpose })
      return { id, code: (await created.json()).code }
    },
    async remove(id) {
      await manage(keys.operators, `${operatorsPath}/management/users/${id}`, { method: 'DELETE' })
    },
  })
  const confirmations = new Set<string>()

  async function operatorOf(request: IncomingMessage) {
    const { authorization = '' } = request.headers
    const response = await fetch(`${usher.baseUrl}${operatorsPath}/users/me`, { headers: { authorization } })
    const me = await response.json()
    const operator = memory.operators.get(me.id)
    if (!operator)
      throw new StubProblem(401, me.code ?? 'token_invalid', me.title ?? 'Access token is invalid')
    return operator
  }

  /** Checks what the contract says of an operation. */
  function assertAllowed(
    operator: Operator,
    metadata: { role?: string | null; in?: string; confirms?: true },
    call: { workspaceSlug?: string | undefined; isConfirmed: boolean },
  ) {
    const held = operator.rights.filter(
      ({ workspace }) =>
        metadata.in === 'anywhere' ||
        workspace === null ||
        workspace === (metadata.in === 'workspace' && call.workspaceSlug),
    )
    const best = Math.max(-1, ...held.map(({ role }) => operatorRoles.indexOf(role)))
    const needed = operatorRoles.indexOf(metadata.role as 'member')
    if (needed < 0 || best < needed)
      throw new StubProblem(403, 'role_insufficient', 'Role is not sufficient', `Needs ${metadata.role}.`)
    if (metadata.confirms && !call.isConfirmed)
      throw new StubProblem(401, 'step_up_required', 'Confirmation is required')
  }

  function record(operator: Operator, name: string, params: Record<string, string>, requestId: string) {
    const { workspaceSlug: workspace = null, databaseName: database = null, ...ids } = params
    const action: Memory['actions'][number] = {
      id: randomUUID(),
      at: timeOf(usher.now()),
      operatorId: operator.id,
      operatorEmail: operator.email,
      action: name,
      workspace,
      database,
      target: Object.values(ids)[0] ?? null,
      outcome: null,
      requestId,
    }
    memory.actions.push(action)
    return action
  }

  async function respond(request: IncomingMessage, response: ServerResponse, requestId: string) {
    const { method = 'GET' } = request
    const { pathname, search, searchParams } = new URL(request.url ?? '/', url)
    if (pathname === '/console/session') return session(request, response)
    if (/^\/console(\/|$)/.test(pathname)) return serveFile(files, pathname, response)
    if (pathname.startsWith(`${operatorsPath}/`)) return forward(request, response, `${pathname}${search}`)

    const confirmation = String(request.headers['usher-confirmation'] ?? '')
    const isConfirmed = confirmations.has(confirmation)
    const managed = findManagementRoute(method, pathname)
    if (managed) {
      const { route, params } = managed
      const { workspaceSlug, databaseName } = params
      const operator = await operatorOf(request)
      assertAllowed(operator, route.metadata, { workspaceSlug, isConfirmed })
      const key = keys[`${workspaceSlug}/${databaseName}` as keyof typeof keys]
      if (!key) return send(response, 200, emptyListOf(route.name))
      const action = method === 'GET' ? undefined : record(operator, route.name, params, requestId)
      const status = await forward(request, response, `${pathname}${search}`, key)
      if (action) action.outcome = status < 400 ? 'done' : String(status)
      return undefined
    }
    const found = findOperatorRoute(method, pathname)
    if (!found) throw new StubProblem(404, 'route_not_found', 'Route not found')
    const { route, params } = found
    const body = method === 'GET' ? {} : JSON.parse((await textOf(request)) || '{}')
    const parsed = route.body?.safeParse(body)
    if (parsed?.error) {
      const errors = parsed.error.issues.map(({ path, message }) => ({
        path: path.join('.'),
        code: 'invalid_type',
        detail: message,
      }))
      return send(response, 400, {
        code: 'validation_failed',
        title: 'Request validation failed',
        detail: '',
        requestId,
        errors,
      })
    }
    const isPublic = !route.metadata.role
    const operator = isPublic ? ({ rights: [] } as never) : await operatorOf(request)
    if (!isPublic)
      assertAllowed(operator, route.metadata, { workspaceSlug: params.workspaceSlug, isConfirmed })
    const call: StubCall = {
      params,
      query: Object.fromEntries(searchParams),
      body,
      ifMatch: request.headers['if-match'],
      operator,
      isConfirmed,
    }
    const reply = await operations[route.name as OperatorOperation](call)
    if (method !== 'GET' && !isPublic) record(operator, route.name, params, requestId).outcome = 'done'
    const status = [200, 201, 204].find((each) => each in route.responses) ?? 200
    // Fails the test if the stub breaks the contract.
    const schema = route.responses[status] as { parse?(value: unknown): unknown }
    if (status !== 204) schema.parse?.(reply)
    if (reply && 'values' in reply) response.setHeader('etag', etagOf(reply.values))
    send(response, status, reply)
  }

  /** Sends a request to the server, with the key of a backend instead of the token of the operator. */
  async function forward(request: IncomingMessage, response: ServerResponse, path: string, key?: string) {
    const { method = 'GET', headers } = request
    const sent: Record<string, string> = {}
    for (const name of ['authorization', 'content-type', 'if-match', 'idempotency-key'])
      if (headers[name]) sent[name] = String(headers[name])
    if (key) sent.authorization = `Bearer ${key}`
    const body = method === 'GET' ? undefined : await textOf(request)
    const reply = await fetch(`${usher.baseUrl}${path}`, { method, headers: sent, ...(body && { body }) })
    const text = await reply.text()
    if (path.endsWith('/step-up') && reply.ok) confirmations.add(JSON.parse(text).confirmation.value)
    const etag = reply.headers.get('etag')
    if (etag) response.setHeader('etag', etag)
    response.writeHead(reply.status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    response.end(text)
    return reply.status
  }

  /** Keeps the refresh token in a cookie. */
  async function session(request: IncomingMessage, response: ServerResponse) {
    const former = new RegExp(`${cookieName}=([^;]+)`).exec(request.headers.cookie ?? '')?.[1]
    const post = (path: string, body: string, headers = {}) =>
      fetch(`${usher.baseUrl}${operatorsPath}/users/${path}`, {
        method: 'POST',
        headers: { ...json, ...headers },
        body,
      })
    const refreshToken = JSON.stringify({ refreshToken: former ?? '' })
    const setCookie = (value: string, maxAge: number) =>
      response.setHeader(
        'set-cookie',
        `${cookieName}=${value}; Path=/console/session; HttpOnly; SameSite=Strict; Max-Age=${maxAge}`,
      )
    if (request.method === 'DELETE') {
      await post('session/end', refreshToken)
      setCookie('', 0)
      return send(response, 204, undefined)
    }
    const reply =
      request.method === 'PUT'
        ? await post('session/refresh', refreshToken)
        : await post('me/session', await textOf(request), { authorization: request.headers.authorization })
    const { refreshToken: token, ...body } = await reply.json()
    if (token) setCookie(token.value, token.maxAge)
    return send(response, reply.status, body)
  }

  const http = createServer((request, response) => {
    const requestId = randomUUID()
    respond(request, response, requestId).catch((error) => {
      if (!(error instanceof StubProblem))
        return send(response, 500, { code: 'internal_error', title: 'Stub', detail: String(error) })
      const { status, code, title, message } = error
      send(response, status, { code, title, detail: message, status, requestId })
    })
  })
  await new Promise<void>((listening) => http.listen(port, 'localhost', listening))

  const setting = (wanted: string) =>
    memory.workspaces
      .get('acme')
      ?.databases.get('app')
      ?.settings.find(({ name }) => name === wanted)
  let count = 0
  return {
    url,
    setupLink: `${url}/console/setup#code=first`,
    password,
    memory,
    /** The database `acme/app`, as its users reach it. */
    app,
    /** Returns the value of a setting of `acme/app`. */
    settingOf: (name: string) => setting(name)?.value,
    /** Changes a setting of `acme/app`, as another operator does. */
    changeSetting: (name: string, value: unknown) => void Object.assign(setting(name) ?? {}, { value }),
    /** Returns a code that was not used before. */
    nextCode(of = secret) {
      usher.advanceSeconds(30)
      return new TOTP({ secret: Secret.fromBase32(of) }).generate({ timestamp: usher.now() })
    },
    /** Adds an operator with a password and an authenticator app. */
    async addOperator(
      role: Operator['rights'][number]['role'],
      { workspace = null as string | null, email = '' } = {},
    ) {
      count += 1
      const address = email || `${role}-${count}@example.com`
      const passwordHash = await bcrypt.hash(password, 4)
      const line = { email: address, passwordHash, totp: [{ secret }], emailVerifiedAt: timeOf(now) }
      const path = `${operatorsPath}/management/users/import`
      const headers = { 'content-type': 'application/x-ndjson' }
      const imported = await manage(keys.operators, path, {
        method: 'POST',
        headers,
        body: JSON.stringify(line),
      })
      const { lines } = await imported.json()
      const id = String(lines[0].userId)
      memory.operators.set(id, {
        id,
        email: address,
        preferredName: null,
        rights: [{ workspace, role }],
        joinedAt: timeOf(usher.now()),
      })
      return { id, email: address }
    },
    /** Sends a request of a backend to `acme/app`. */
    manage: async (method: string, path: string, body?: unknown) => {
      const isText = typeof body === 'string'
      const headers = { 'content-type': isText ? 'application/x-ndjson' : 'application/json' }
      const response = await manage(keys['acme/app'], `/workspaces/acme/databases/app/management${path}`, {
        method,
        headers: body === undefined ? {} : headers,
        ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${response.status} ${text}`)
      return text ? JSON.parse(text) : undefined
    },
    async stop() {
      http.closeAllConnections()
      await new Promise((closed) => http.close(closed))
      await usher.stop()
    },
  }
}

const emptyListOf = (name: string) =>
  name === 'listTenants' ? { tenants: [], next: null } : { users: [], next: null }

function send(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body === undefined ? '' : JSON.stringify(body))
}

async function textOf(request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Returns the built files, by their paths. */
function readFiles() {
  const names = ['index.html', ...readdirSync(join(folder, 'assets')).map((name) => `assets/${name}`)]
  return new Map(names.map((name) => [`/console/${name}`, readFileSync(join(folder, name))]))
}

/** Serves a built file, and the page for every other path. */
function serveFile(files: ReturnType<typeof readFiles>, pathname: string, response: ServerResponse) {
  const path = pathname.startsWith('/console/assets/') ? pathname : '/console/index.html'
  response.writeHead(files.has(path) ? 200 : 404, {
    'content-type': `${types[extname(path)]}; charset=utf-8`,
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  response.end(files.get(path))
}
