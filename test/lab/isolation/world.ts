import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabaseLookup } from '../../../server/domain/databases/find-database.js'
import { startOperator } from '../../support/operator.js'
import { openPostgresCopy } from '../../support/store.js'
import type { DatabaseModel, WorldModel } from './model.js'

/** Databases have the same names in different workspaces. */
export const paths = ['one', 'two', 'three'].flatMap((slug) => [`${slug}/app`, `${slug}/web`])

/** A server and a command line on one store, with what they should know of each database. */
export async function startWorld() {
  const store = await openPostgresCopy()
  const usher = await startOperator(store)
  const folder = await mkdtemp(join(tmpdir(), 'usher-isolation-'))
  const model: WorldModel = { databases: new Map(), tokens: [] }
  let addresses = 0

  /** A request from an address of its own, so that nobody waits for the failed logins of another. */
  function send(method: 'GET' | 'POST', path: string, options: { payload?: object; headers?: object } = {}) {
    usher.clock.now = Date.now()
    addresses += 1
    const [workspaceSlug, databaseName, ...rest] = path.split('/')
    const url = `/workspaces/${workspaceSlug}/databases/${databaseName}/${rest.join('/')}`
    const remoteAddress = `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
    return usher.send({ method, url, remoteAddress, ...options } as Parameters<typeof usher.send>[0])
  }

  /** Runs a command that changes something; the server then knows of it without waiting. */
  async function operate(command: string, input?: string) {
    const result = await usher.operator(`${command} --json`, input)
    usher.context.findDatabase = createDatabaseLookup(usher.store, usher.config)
    return { ...result, value: result.stdout ? JSON.parse(result.stdout) : undefined }
  }

  async function createDatabase(path: string) {
    const { value } = await operate(`database create ${path}`)
    const [key] = await usher.json(`keys list ${path}`)
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
    await store.close()
    await rm(folder, { recursive: true })
  }
  return { usher, model, folder, send, operate, createDatabase, close }
}

export type World = Awaited<ReturnType<typeof startWorld>>
