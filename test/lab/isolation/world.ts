import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { createDatabaseLookup } from '../../../server/domain/databases/find-database.js'
import { startOperator } from '../../support/operator.js'
import { startSmtp } from '../../support/smtp.js'
import { openPostgresCopy } from '../../support/store.js'
import type { DatabaseModel, WorldModel } from './model.js'

/** The same database names in several workspaces. */
export const paths = ['one', 'two', 'three'].flatMap((slug) => [`${slug}/app`, `${slug}/web`])

/** The app to which the mails of a database lead. */
export const appUrl = (path: string) => `https://app.example.com/${path}`

/** Starts a server and a command line on one store, with a model of its expected state. */
export async function startWorld() {
  const store = await openPostgresCopy()
  const smtp = await startSmtp()
  const usher = await startOperator(store, { SMTP_URL: smtp.url, MAIL_FROM: 'accounts@example.com' })
  const folder = await mkdtemp(join(tmpdir(), 'usher-isolation-'))
  const model: WorldModel = { databases: new Map(), tokens: [], sessions: [], codes: [] }
  let addresses = 0

  /** Sends a request from a new client address, so that the throttle does not affect other requests. */
  function send(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    options: { payload?: object; headers?: object } = {},
  ) {
    usher.clock.now = Date.now()
    addresses += 1
    const [workspaceSlug, databaseName, ...rest] = path.split('/')
    const url = `/workspaces/${workspaceSlug}/databases/${databaseName}/${rest.join('/')}`
    const remoteAddress = `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
    return usher.send({ method, url, remoteAddress, ...options } as Parameters<typeof usher.send>[0])
  }

  /** Waits until the messages of a database are delivered. Returns the mails of all databases since the last call. */
  async function receivedMails({ id: databaseId }: DatabaseModel) {
    const { message } = usher.store.prisma
    const isDelivered = async () => expect(await message.count({ where: { databaseId } })).toBe(0)
    await vi.waitFor(isDelivered, { timeout: 10_000, interval: 2 })
    return smtp.mails.splice(0)
  }

  /** Runs a command that changes the store, and clears the cache of the server. */
  async function operate(command: string, input?: string) {
    const result = await usher.operator(`${command} --json`, input)
    usher.context.findDatabase = createDatabaseLookup(usher.store, usher.config)
    return { ...result, value: result.stdout ? JSON.parse(result.stdout) : undefined }
  }

  async function createDatabase(path: string) {
    const { value } = await operate(
      `database create ${path} --sign-ups-per-hour 0 --require-verified-inviter off`,
    )
    await operate(
      `database set ${path} --app-url ${appUrl(path)} --notice-password-changed off --notice-account-deleted off --notice-session-reused off`,
    )
    const [key] = await usher.rows(`keys list ${path}`)
    const database: DatabaseModel = {
      id: value.id,
      users: new Map(),
      tenants: new Set(),
      kids: new Set([key.kid]),
      signUps: new Map(),
    }
    model.databases.set(path, database)
  }

  for (const slug of ['one', 'two', 'three']) await operate(`workspace create ${slug}`)
  for (const path of paths.slice(0, 5)) await createDatabase(path)
  const close = async () => {
    await usher.close()
    await smtp.close()
    await store.close()
    await rm(folder, { recursive: true })
  }
  return { usher, model, folder, send, receivedMails, operate, createDatabase, close }
}

export type World = Awaited<ReturnType<typeof startWorld>>
