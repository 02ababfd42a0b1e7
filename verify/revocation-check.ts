import { VerifyError } from './errors.js'
import { createFeed, type RevocationOptions, type RevocationState } from './feed.js'
import type { ReaderSettings } from './feed-reader.js'
import type { VerifiedUser } from './user.js'

/** Creates the check whether tokens with a valid signature were revoked. */
export function createRevocationCheck(
  { apiKey, onStale, staleSeconds = 30, maxEntries = 500_000 }: RevocationOptions,
  source: Omit<ReaderSettings, 'apiKey' | 'maxEntries'>,
) {
  const feed = createFeed({ ...source, apiKey, staleSeconds, maxEntries })
  return {
    close: feed.close,
    /**
     * Returns the user of a token with current tenants and roles.
     *
     * @throws {VerifyError} `token_invalid` if the token was revoked; `revocations_stale`
     */
    async accept(user: VerifiedUser, kid: string | undefined): Promise<VerifiedUser> {
      if (feed.isStale()) await feed.refreshed()
      const revocations = feed.complete()
      if (revocations?.hasRevoked(user.claims, kid))
        throw new VerifyError('token_invalid', { cause: new Error('The token was revoked') })
      if (onStale === 'refuse' && feed.isStale())
        throw new VerifyError('revocations_stale', { cause: feed.problem() })
      return revocations?.update(user) ?? user
    },
    state: (): RevocationState => ({
      isStale: feed.isStale(),
      lastReadAt: feed.lastReadAt(),
      entries: feed.complete()?.size() ?? 0,
      error: feed.problem(),
    }),
  }
}
