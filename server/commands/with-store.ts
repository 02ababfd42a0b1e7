import { type Config, loadConfig } from '../config.js'
import { requireMasterKey } from '../domain/master-key.js'
import { openStore, requireMigrated } from '../store/open.js'
import type { Store } from '../store/store.js'

/** Settings from this process's environment: the one place that reads it. */
// biome-ignore lint/style/noProcessEnv: read here and handed on as Config
export const readConfig = () => loadConfig(process.env)

/** Runs a command on the store, which must be migrated, and closes it. */
export async function withStore(work: (store: Store, config: Config) => Promise<void>) {
  const config = readConfig()
  const store = await openStore(config, () => undefined)
  try {
    await requireMigrated(store)
    await requireMasterKey(store)
    await work(store, config)
  } finally {
    await store.close()
  }
}

/** Prints a result: the line for people, or with --json the value. */
export function print(options: { json?: boolean }, value: unknown, line: string) {
  process.stdout.write(`${options.json ? JSON.stringify(value) : line}\n`)
}
