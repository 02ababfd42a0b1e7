import { FeedError, type FeedSource, type PageRequest, requestPage } from './feed-page.js'
import { createRevocations, type Revocations } from './revocations.js'

export interface ReaderSettings extends FeedSource {
  maxEntries: number
  now: () => number
  /** Called when a key was retired. */
  onKeyRetired: () => void
}

/** Creates a reader, which reads the feed page by page and keeps its revocations in memory. */
export function createReader(settings: ReaderSettings) {
  /** All revocations until the last page. Undefined until the first load is complete. */
  let complete: Revocations | undefined
  /** Those that are loaded at the start, or again because the cursor has expired. */
  let loading: Revocations | undefined = createRevocations(settings)
  let cursor: string | undefined
  let unknownType: Error | undefined

  function restart(cause: unknown): never {
    if (cause instanceof FeedError && cause.code === 'cursor_expired') {
      loading = createRevocations(settings)
      cursor = undefined
    }
    throw cause
  }

  return {
    complete: () => complete,
    isLoading: () => loading !== undefined,
    /** An error if the server revokes something that this version cannot check. */
    unknownType: () => unknownType,
    /**
     * Reads the next page.
     *
     * @throws what `requestPage` throws, or an error if there are too many revocations. Then the page is not used
     */
    async readPage(request: Omit<PageRequest, 'after'>) {
      const page = await requestPage(settings, { ...request, after: cursor }).catch(restart)
      const { revocations, unknownTypes, next, moreAvailable, retryAfterSeconds } = page
      const target = loading ?? complete
      target?.addAll(revocations)
      cursor = next
      const [type] = unknownTypes
      if (type !== undefined) unknownType = new Error(`This version of @usher/verify does not know ${type}`)
      if (revocations.some((each) => each.type === 'key-retired')) settings.onKeyRetired()
      if (!moreAvailable) [complete, loading] = [target, undefined]
      return {
        isLast: !moreAvailable,
        isEmpty: revocations.length + unknownTypes.length === 0,
        retryAfterSeconds,
      }
    },
  }
}
