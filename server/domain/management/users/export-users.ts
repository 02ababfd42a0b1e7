import type { UserLine } from '@usher/contract/management'
import { listUsersToExport, type UserToExport } from '../../../store/queries/management/export-users.js'
import type { Store } from '../../../store/store.js'
import { base32Of, factorRow } from '../../factors/totp.js'
import { type DataCipher, openDataCipher } from '../../keys/data-key.js'
import { lineOf } from './user-line.js'

const pageUsers = 500

/**
 * Yields every user of a database, ordered by id, as the line that `readUserLine` reads. Reads users page by page. A
 * user who changes meanwhile is written in the state before or after the change.
 *
 * @param options.withTotp whether lines have the secrets of authenticator apps
 */
export async function* exportUsers(
  store: Store,
  databaseId: string,
  { withTotp = false, now }: { withTotp?: boolean | undefined; now: Date },
): AsyncGenerator<UserLine> {
  const cipher = withTotp ? await openDataCipher(store, databaseId, now) : undefined
  const of = { databaseId, withFactors: withTotp }
  let after: string | undefined
  for (;;) {
    const users = await listUsersToExport(store, of, { limit: pageUsers, ...(after && { after }) })
    for (const user of users) {
      yield lineOf(user, cipher && (await totpOf(user, databaseId, cipher)))
      after = user.id
    }
    if (users.length < pageUsers) return
  }
}

/** Returns the authenticator apps of a user with their secrets. */
const totpOf = ({ factors }: UserToExport, databaseId: string, cipher: DataCipher) =>
  Promise.all(
    factors.map(async ({ id, name, sealedSecret, createdAt }) => ({
      secret: await base32Of(cipher.open(Buffer.from(sealedSecret, 'hex'), factorRow(databaseId, id))),
      name,
      createdAt: new Date(createdAt),
    })),
  )
