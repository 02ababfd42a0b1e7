import { countDatabases, pagesOfDatabases } from '../../../store/queries/databases.js'
import { waitForKeyChanges } from '../../../store/queries/keys.js'
import type { MasterKeys, Store } from '../../../store/store.js'
import { open, seal } from '../../keys/master-key.js'
import { sealedValues } from '../../keys/sealed-values.js'
import { Problem } from '../../problem.js'

/** Databases whose keys are re-encrypted at the same time. */
const lanes = 4

export interface RewrapResult {
  /** Number of private signing keys that were re-encrypted. */
  rewrapped: number
  /** Keys and secrets that neither master key has encrypted. */
  unreadable: string[]
}

/** Reports how many of all databases a pass has read. */
type Report = (done: number, total: number) => void

/**
 * Re-encrypts all private keys and secrets, one statement each, while servers run that know both master keys. The
 * next run continues an interrupted one.
 *
 * @throws {Problem} if the key file contains another successor that is still needed
 */
export async function rewrapKeys(store: Store, newMasterKey: Buffer, report?: Report): Promise<RewrapResult> {
  const { keyFile } = store
  if (keyFile?.next && !keyFile.next.equals(newMasterKey)) {
    throw new Problem('rewrap_unfinished', {
      detail:
        'An earlier keys rewrap has not finished. Run it again with the key in master.key.next as USHER_NEW_MASTER_KEY.',
    })
  }
  await keyFile?.keepNext(newMasterKey)
  const waitForChanges = () => waitForKeyChanges(store)
  const result = await reencryptKeys(store, newMasterKey, { waitForChanges, report })
  if (result.unreadable.length === 0) await keyFile?.adoptNext()
  return result
}

/**
 * Repeats passes over all databases until one finds nothing that the old master key has encrypted. Servers that know
 * both keys use the new one for a database as soon as it has encrypted a signing key of the database.
 *
 * @param waitForChanges waits until running transactions of other processes have ended
 */
export async function reencryptKeys(
  store: Store,
  newMasterKey: Buffer,
  { waitForChanges, report }: { waitForChanges?: () => Promise<unknown>; report?: Report | undefined } = {},
): Promise<RewrapResult> {
  for (let rewrapped = 0; ; ) {
    await waitForChanges?.()
    const pass = await reencryptOnce(store, newMasterKey, report)
    rewrapped += pass.rewrapped
    if (pass.changes === 0) return { rewrapped, unreadable: pass.unreadable }
  }
}

async function reencryptOnce(store: Store, newMasterKey: Buffer, report?: Report) {
  const pass: Pass = { masterKey: store.masterKey, newMasterKey, rewrapped: 0, changes: 0, unreadable: [] }
  const total = await countDatabases(store)
  let done = 0
  for await (const page of pagesOfDatabases(store)) {
    const rest = page.values()
    const lane = async () => {
      for (const database of rest) await reencryptDatabase(store, database, pass)
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    done += page.length
    report?.(done, total)
  }
  return pass
}

interface Pass extends RewrapResult, MasterKeys {
  newMasterKey: Buffer
  /** Number of keys and secrets that the old master key had encrypted. */
  changes: number
}

async function reencryptDatabase(
  store: Store,
  database: Parameters<typeof sealedValues.secret>[1],
  pass: Pass,
) {
  for (const [kind, find] of Object.entries(sealedValues)) {
    for (const { name, sealed, row, replace } of await find(store, database)) {
      const openWith = (masterKey: Buffer) => attempt(() => open({ masterKey }, sealed, row))
      if (openWith(pass.newMasterKey)) continue
      const value = openWith(pass.masterKey)
      if (!value) {
        pass.unreadable.push(`${name} of database ${database.id}`)
        continue
      }
      pass.changes += 1
      await replace(seal(pass.newMasterKey, value, row))
      if (kind === 'signingKey') pass.rewrapped += 1
    }
  }
}

function attempt<Result>(work: () => Result) {
  try {
    return work()
  } catch {
    return undefined
  }
}
