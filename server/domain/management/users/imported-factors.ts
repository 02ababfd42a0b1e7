import type { UserLine } from '@usher/contract/management'
import { v7 as uuidv7 } from 'uuid'
import { isUniqueViolation } from '../../../store/errors.js'
import type { UserWithTenants } from '../../../store/queries/management/import-users.js'
import type { Store } from '../../../store/store.js'
import type { AppContext } from '../../context.js'
import { factorRow, secretOfBase32 } from '../../factors/totp.js'
import { openDataCipher } from '../../keys/data-key.js'
import { lineError } from '../../users/line-error.js'
import { isAcceptedKey } from '../../webauthn/verify.js'

/** An imported user with the authenticator apps of the line. */
interface WithTotp {
  row: UserWithTenants
  totp: NonNullable<UserLine['totp']>
}

/** Adds the authenticator apps of lines to the rows of their users, encrypted with the data key of the database. */
export async function sealFactors(
  { store, now }: Pick<AppContext, 'now'> & { store: Store },
  databaseId: string,
  users: readonly WithTotp[],
) {
  const withTotp = users.filter(({ totp }) => totp.length > 0)
  if (withTotp.length === 0) return
  const cipher = await openDataCipher(store, databaseId, new Date(now()))
  for (const { row, totp } of withTotp)
    row.factors = await Promise.all(
      totp.map(async ({ secret, name, createdAt }) => {
        const id = uuidv7()
        const sealedSecret = cipher.seal(await secretOfBase32(secret), factorRow(databaseId, id))
        return { id, name: name ?? null, sealedSecret, createdAt: createdAt ?? row.user.createdAt }
      }),
    )
}

/** Requires that the passkeys of a user have keys whose signatures can be verified. @throws {LineError} */
export async function requirePublicKeys({ passkeys }: Pick<UserWithTenants, 'passkeys'>) {
  for (const [index, { publicKey }] of passkeys.entries())
    if (!(await isAcceptedKey(Buffer.from(publicKey, 'base64url'))))
      throw lineError(`passkeys.${index}.publicKey`, 'is not a COSE key with ES256, EdDSA or RS256')
}

/** Returns whether an identity or a passkey of a line was given to another user meanwhile. */
export const isTaken = (error: unknown) =>
  isUniqueViolation(error, 'subject') || isUniqueViolation(error, 'credential_id')
