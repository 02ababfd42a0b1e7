/**
 * Returns the limit of a cache with many entries. The option `max` would reserve space for all of them, which takes each
 * cache of 10,000 entries 1 % of the CPU time of a start.
 */
export const entryLimit = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
