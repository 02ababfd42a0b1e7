import { createVerifier, type RevocationOptions, type Verifier, type VerifierOptions } from '@usher/verify'
import { test, vi } from 'vitest'
import { createFakeFeed } from './fake-feed.js'

interface VerifierChanges extends Partial<Omit<VerifierOptions, 'revocations'>> {
  revocations?: Partial<RevocationOptions>
}

/** Returns `accepted`, or the code of the error. */
export const outcome = async ({ verify }: Pick<Verifier, 'verify'>, token: string) =>
  (await verify(token)).error?.code ?? 'accepted'

/** Waits until a function does not throw. */
export const eventually = (holds: () => unknown) => vi.waitFor(holds, { timeout: 20_000, interval: 10 })

/** `it` with a fake feed, and verifiers that follow it until the test is over. */
export const it = test
  .extend('feed', () => createFakeFeed())
  .extend('follow', ({ feed }, { onCleanup }) => {
    const verifiers: Verifier[] = []
    onCleanup(() => {
      for (const { close } of verifiers) close()
    })
    /** Creates a verifier that refuses tokens when it is stale, or with other options. */
    return ({ revocations, ...options }: VerifierChanges = {}) => {
      const verifier = createVerifier({
        ...feed.options,
        ...options,
        revocations: { apiKey: 'usher_key', onStale: 'refuse', ...revocations },
      })
      verifiers.push(verifier)
      return verifier
    }
  })
  /** Creates a verifier that has read the feed and waits for more. */
  .extend('followed', ({ feed, follow }) => async (options: VerifierChanges = {}) => {
    const earlier = feed.requests.length
    const verifier = follow(options)
    await eventually(() => {
      if (!feed.requests.slice(earlier).some(({ wait }) => wait > 0))
        throw new Error('it does not follow the feed')
    })
    return verifier
  })
