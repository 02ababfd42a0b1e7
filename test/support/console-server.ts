import { randomUUID } from 'node:crypto'
import { Scope } from '@usher/contract/management'
import type { AddOperatorBody } from '@usher/contract/operator'
import type { InjectOptions } from 'fastify'
import { Secret, TOTP } from 'otpauth'
import { pino } from 'pino'
import type { Page } from 'playwright-core'
import { keyOf } from '../../sdk/client.js'
import { loadConfig } from '../../server/config.js'
import { createApiKey } from '../../server/domain/management/api-keys.js'
import { findSetupLink } from '../../server/domain/operators/first-operator.js'
import { addOperator } from '../../server/domain/operators/operators.js'
import { ensureOperatorsDatabase } from '../../server/domain/operators/operators-database.js'
import type { Report } from '../../server/domain/operators/servers/report.js'
import { buildUsher } from '../../server/index.js'
import { UnavailableError } from '../../server/store/errors.js'
import { addCounts } from '../../server/store/queries/statistics.js'
import { addProvider } from '../../server/testing/add-provider.js'
import { databaseCreator, requestOfOperator } from '../../server/testing/operator.js'
import { sharedHasher, usualHashes } from './hasher.js'
import type { OpenStore } from './open-store.js'
import { freePort } from './postgres-server.js'
import { reportStatus } from './server-status.js'

export const operatorPassword = 'correct horse battery'
const dayMilliseconds = 86_400_000

export type ConsoleServer = Awaited<ReturnType<typeof startConsole>>

/** Starts a server with a console and no operator. `acme/app` has counts and connections; `acme/staging`, which has single sign-on, and `globex/shop` are empty. */
export async function startConsole(store: OpenStore) {
  const port = await freePort()
  const url = `http://localhost:${port}`
  let aheadMilliseconds = 0
  let isStoreDown = false
  const now = () => Date.now() + aheadMilliseconds
  const clock = {
    get now() {
      return now()
    },
    set now(at: number) {
      aheadMilliseconds = at - Date.now()
    },
    cacheAhead: 0,
  }
  const ifUp =
    <Arguments extends unknown[], Result>(run: (...given: Arguments) => Promise<Result>) =>
    async (...given: Arguments) => {
      if (isStoreDown) throw new UnavailableError('The store is down.')
      return run(...given)
    }
  const settings = { CONSOLE: 'on', PORT: String(port), BASE_URL: url, LOG_LEVEL: 'silent' }
  const config = loadConfig({ ...usualHashes, ...settings })
  const privateIssuers: string[] = []
  await ensureOperatorsDatabase({ store, now: new Date(now()), consoleUrl: config.consoleUrl })
  const served = { ...store, query: ifUp(store.query), transaction: ifUp(store.transaction) }
  const log = pino({ level: 'silent' })
  const records = new Map<string, string[][]>()
  const usher = await buildUsher({ ...config, privateIssuers }, served, {
    log,
    clock: { now, cacheNow: () => performance.now() },
    sendMail: async () => undefined,
    dns: async (name) => records.get(name) ?? [],
    hashing: sharedHasher(config.hashing),
  })
  await usher.app.listen({ host: 'localhost', port })

  const create = databaseCreator(store, now)
  const app = await create({ workspace: 'acme', database: 'app', appUrl: 'https://app.acme.example' })
  await create({ workspace: 'acme', database: 'staging', singleSignOn: true })
  await create({ workspace: 'globex', database: 'shop' })
  const request = await requestOfOperator(store, { workspaceSlug: 'acme', databaseName: 'app' })
  const databaseId = request.database.id
  for (const counts of daysUntil(now())) await addCounts(store, { databaseId, ...counts })
  const context = { store, now, deliver: () => undefined }
  const provider = await addProvider(
    { context, baseUrl: url },
    { ...app, connection: 'google', preset: 'oidc', people: [{ name: 'Ada' }] },
  )
  privateIssuers.push(provider.issuer)
  const connection = { preset: 'microsoft', issuer: 'https://127.0.0.1:1/v2.0', clientId: 'acme-4711' }
  await store.prisma.connection.create({
    data: { databaseId, name: 'acme-entra', ...connection, options: {}, createdAt: new Date(now()) },
  })
  const body = { name: 'backend', scopes: Scope.options, expiresInDays: 365 }
  const { key } = await createApiKey(context, { ...request, body })

  return {
    url,
    store,
    /** The TXT records that the server finds in DNS. */
    records,
    /** The database `acme/app`, as its users reach it. */
    app: { baseUrl: url, ...app },
    /** Returns the link with which the first operator is created. */
    setupLink: async () => String(await findSetupLink(usher.context)),
    /** Returns a code of an authenticator app that was not used before. */
    nextCode(secret: string) {
      aheadMilliseconds += 30_000
      const totp = new TOTP({ secret: Secret.fromBase32(secret.replace(/\s/g, '')) })
      return totp.generate({ timestamp: now() })
    },
    /** Adds an operator who has a second factor, and logs in a page without the screens for that. */
    async logIn(page: Page, operator: AddOperatorBody) {
      // It needs vitest, and the script that takes the pictures has none.
      const { openConsole } = await import('./console.js')
      const inject = (options: InjectOptions) => usher.app.inject(options)
      const operators = await openConsole({ store, clock, context: usher.context, config, inject })
      const request = { caller: { log }, actor: { kind: 'operator' }, body: operator } as const
      const { link } = await addOperator(usher.context, request)
      const newPassword = operatorPassword
      await operators.post('password-reset/confirm', { code: link?.split('#code=')[1], newPassword })
      const { jwt } = await operators.enrol(operator.email, operatorPassword)
      await page.goto(`${url}/console`)
      await page.getByRole('form', { name: 'Log in' }).waitFor()
      const key = keyOf({ baseUrl: url, workspace: 'usher', database: 'operators' })
      await page.evaluate(
        async ([token, name]) => {
          const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
          await fetch('/console/session', { method: 'POST', headers, body: '{}' })
          localStorage.setItem(name, `cookie-${crypto.randomUUID()}`)
        },
        [jwt, `${key}.session`] as const,
      )
    },
    /** Makes logins of a user of `acme/app` wait for a long time. */
    async lockUser(email: string) {
      await fetch(`${url}/workspaces/acme/databases/app/users/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: 'wrong password' }),
      })
      await store.prisma.loginFailures.updateMany({ where: { databaseId }, data: { failures: 30 } })
    },
    /** Adds a passkey to a user of `acme/app`, whose logins need no second step then. */
    async addPasskey(userId: string) {
      const passkey = { kind: 'passkey', domain: 'app.acme.example', isSynced: true, signCount: 0 }
      const bytes = { credentialId: new Uint8Array([1]), userHandle: new Uint8Array([1]) }
      const key = { databaseId, id: randomUUID(), userId, createdAt: new Date(now()) }
      await store.prisma.factor.create({ data: { ...passkey, ...bytes, ...key } })
    },
    /** Makes the store unreachable for the server, or reachable again. */
    setStoreDown(isDown: boolean) {
      isStoreDown = isDown
    },
    /** The provider of the connection `google`. */
    issuer: provider.issuer,
    /** Changes the title of a connection of `acme/app`, as another operator does. */
    changeConnection: (name: string, title: string) =>
      store.prisma.connection.update({
        where: { databaseId_name: { databaseId, name } },
        data: { options: { title } },
      }),
    /** Sends a request of a backend to `acme/app`. Text is a file to import. */
    async manage(method: string, path: string, body?: object | string) {
      const isText = typeof body === 'string'
      const headers = {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': isText ? 'application/x-ndjson' : 'application/json' }),
      }
      const response = await fetch(`${url}/workspaces/acme/databases/app/management${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${response.status} ${text}`)
      return text ? JSON.parse(text) : undefined
    },
    /** Stores the status of a server of a cluster, as it does every 15 s. */
    report: (name: string, changes: Partial<Report> = {}) =>
      reportStatus(usher, { name, now: now(), ...changes }),
    /** Changes settings of `acme/app`, as another operator does. */
    changeSettings: (data: { sessionIdle: number; eventsKept: number }) =>
      store.prisma.database.update({ where: { id: databaseId }, data }),
    settings: () => store.prisma.database.findUniqueOrThrow({ where: { id: databaseId } }),
    /** Adds a mail that waits for an operator, and one that is sent again in a day. */
    async addDeliveries(userId: string) {
      const mail = { databaseId, kind: 'mail', userId, payload: { type: 'password_changed' } }
      const at = (milliseconds: number) => new Date(now() + milliseconds)
      await store.prisma.message.createMany({
        data: [
          { attempts: 12, lastError: 'SMTP 550', dueAt: null, createdAt: at(-dayMilliseconds) },
          { attempts: 2, lastError: 'SMTP 451', dueAt: at(dayMilliseconds), createdAt: at(-60_000) },
        ].map((each) => ({ ...mail, id: randomUUID(), ...each })),
      })
    },
    async stop() {
      await provider.close()
      await usher.close()
    },
  }
}

/** Returns counts that look like those of a product in use. The same each time. */
function daysUntil(now: number) {
  return Array.from({ length: 90 }, (_, index) => {
    const at = new Date(now - (89 - index) * dayMilliseconds)
    const isWeekend = [0, 6].includes(at.getUTCDay())
    const logins = Math.round(420 * (isWeekend ? 0.45 : 1) * (1 + index / 120 + Math.sin(index * 1.7) / 6))
    return {
      day: at.toISOString().slice(0, 10),
      signUps: Math.round(logins / 9),
      logins,
      failures: Math.round(logins / 21) + (index === 77 ? 140 : 0),
      throttled: index === 77 ? 35 : 0,
      mails: Math.round(logins / 6),
      mailsFailed: index === 81 ? 3 : 0,
    }
  })
}
