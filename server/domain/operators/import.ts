import type { Confirmation } from '@usher/contract'
import type { AppContext } from '../context.js'
import { issueConfirmation } from '../factors/confirm.js'
import { sessionIdOf } from '../tokens/access-token.js'
import { permitOf } from './admit-operator.js'
import type { OperatorDatabaseRequest, OwnRequest } from './operator-request.js'

const permitMilliseconds = 6 * 3_600_000

/** Returns a confirmation for the requests of an import, which can take longer than other confirmations are valid. */
export async function beginImport(
  context: AppContext,
  { database, operators, user, claims }: OperatorDatabaseRequest & OwnRequest,
): Promise<Confirmation> {
  return issueConfirmation(context, operators, {
    user,
    tokenId: sessionIdOf(claims),
    amr: claims.proven.amr,
    expiresAt: context.now() + permitMilliseconds,
    use: permitOf('beginImport', database),
  })
}
