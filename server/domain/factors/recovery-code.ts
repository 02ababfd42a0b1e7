import { createHash, randomInt } from 'node:crypto'
import { typedCode } from '@usher/contract'
import { forgetFailures } from '../../store/queries/factor-guesses.js'
import { useRecoveryCode } from '../../store/queries/factors.js'
import { Problem } from '../problem.js'
import type { Kind } from './kind.js'

/** The codes that a user has stored with the first factor. */
export const recoveryCode: Kind = {
  name: 'recoveryCode',
  amr: 'recovery',
  isOn: () => true,
  async prove({ store }, { database }, { userId, proof }) {
    const key = { databaseId: database.id, userId }
    const code = proof.recoveryCode as string
    if (!(await useRecoveryCode(store, key, hashOf(code)))) throw new Problem('second_factor_invalid')
    // The user is there, and may have tried wrong codes of a lost app.
    await forgetFailures(store, key)
  },
}

const count = 8
/** Without letters and digits that look alike. 31 of them: a code of 17 has 84 random bits. */
const letters = '23456789abcdefghjkmnpqrstuvwxyz'
const groups = [4, 4, 4, 5]

/** Returns new recovery codes, and what is stored of them. */
export function newRecoveryCodes() {
  const codes = Array.from({ length: count }, () =>
    groups
      .map((length) => Array.from({ length }, () => letters[randomInt(letters.length)]).join(''))
      .join('-'),
  )
  return { codes, hashes: codes.map(hashOf) }
}

/** Returns the SHA-256 of a code as it may be typed. Its random bits cannot be guessed, so no slow hash is needed. */
const hashOf = (code: string) =>
  new Uint8Array(createHash('sha256').update(typedCode(code).toLowerCase()).digest())
