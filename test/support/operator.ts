import { cheapHashes } from '../../server/testing/cheap-hashes.js'
import { withOwnStore } from './api.js'
import { startApp } from './app.js'
import { type Input, runUsher } from './command-line.js'
import type { TestStore } from './store.js'

/** Starts a server with the current time, and an operator's command line, on one Postgres store. */
export async function startOperator(store: TestStore, settings: Record<string, string> = {}) {
  const usher = await startApp(store, settings)
  usher.clock.now = Date.now()
  const env = { ...store.settings, BASE_URL: usher.config.baseUrl, ...cheapHashes }

  const operator = (command: string, input?: Input, more: Record<string, string> = {}) =>
    runUsher(command.split(' '), { ...env, ...more }, input)

  /** Returns the output with --json. Throws if the command fails or writes more than audit records to stderr. */
  async function json(command: string, input?: Input) {
    const { code, stdout, stderr } = await operator(`${command} --json`, input)
    if (code !== 0 || !/^(\{.*\}\n)*$/.test(stderr)) throw new Error(`${command}: ${code} ${stderr}`)
    return JSON.parse(stdout)
  }

  /** Returns the list in the output with --json. */
  async function rows(command: string) {
    const body: Record<string, unknown> = await json(command)
    // biome-ignore lint/suspicious/noExplicitAny: tests know what they list
    return (Object.values(body).find(Array.isArray) ?? []) as any[]
  }

  /** Returns exit code and output as one string. */
  async function outcome(command: string, input?: Input, more?: Record<string, string>) {
    const { code, stdout, stderr } = await operator(command, input, more)
    return `${code} ${stdout}${stderr}`
  }

  /** Starts another server on the same store, with empty caches. */
  async function otherServer(masterKey = store.masterKey) {
    const other = await startApp({ ...store, masterKey })
    other.clock.now = usher.clock.now
    return other
  }

  return { ...usher, env, operator, json, rows, outcome, otherServer }
}

export type Operator = Awaited<ReturnType<typeof startOperator>>

/** `it` with an operator for the whole file, and a database for each test. */
export const it = withOwnStore
  .extend('storeKind', { scope: 'worker' }, 'postgres')
  .extend('usher', { scope: 'file' }, async ({ store }, { onCleanup }) => {
    const usher = await startOperator(store)
    onCleanup(usher.close)
    return usher
  })
  .extend('database', ({ usher }) => {
    usher.clock.now = Date.now()
    return usher.newDatabase()
  })
