import type { Config } from '../../config.js'
import { createContext } from '../../domain/context.js'
import { blocklistOnDemand } from '../../domain/passwords/blocklist.js'
import { createHasher } from '../../domain/passwords/hasher.js'
import { createHostCall, hostCaller } from '../../run/host.js'
import type { Call } from '../io/cli.js'
import type { Host } from '../io/host.js'
import { createAuditLog, openMigratedStore } from '../io/with-store.js'
import type { Transport } from './transport.js'

/** Runs operations in this process, on a store that the first one opens. Only the creation of a workspace creates an embedded store. */
export function inProcess(host: Host, config: Config): Transport {
  let opened: ReturnType<typeof open> | undefined
  const call: Call = async (name, request) => {
    opened ??= open(host, config, name === 'createWorkspace')
    return (await opened).call(name, request)
  }
  return {
    call,
    hasConsole: config.console !== undefined,
    close: async () => (await opened?.catch(() => undefined))?.close(),
  }
}

async function open(host: Host, config: Config, isNew: boolean) {
  const store = await openMigratedStore(config, { isNew })
  const hashing = createHasher({ ...config.hashing, concurrency: 1 }, { isOnDemand: true })
  const blocklist = blocklistOnDemand(config.passwordBlocklistFile)
  const close = () => Promise.all([hashing.close(), blocklist?.close(), store.close()])
  const context = createContext(config, store, { hashing, blocklist })
  const { consoleUrl } = config
  const caller = hostCaller(await createAuditLog(host, config))
  return { call: createHostCall({ context, consoleUrl, caller }), close }
}
