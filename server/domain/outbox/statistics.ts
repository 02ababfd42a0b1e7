/** How messages are delivered. */
export const channels = ['mail', 'webhook'] as const
export type Channel = (typeof channels)[number]

/** Counts of the deliveries of one channel in this process, for its metrics. */
export interface ChannelStatistics {
  delivered: number
  /** Attempts that failed. */
  failed: number
  /** Messages that were not sent because they were too old. */
  expired: number
  claimsFailed: number
  /**
   * When the longest due message is due by the last search, in milliseconds since the epoch. Undefined if none is
   * due.
   */
  oldestDueAt: number | undefined
  /** Messages that wait for the operator, by the last count. */
  notRetried: number
  /** A database that has some of them. */
  notRetriedIn: string | undefined
}

export type DeliveryStatistics = Record<Channel, ChannelStatistics>

export const createStatistics = (): DeliveryStatistics => {
  const none = () => ({
    delivered: 0,
    failed: 0,
    expired: 0,
    claimsFailed: 0,
    oldestDueAt: undefined,
    notRetried: 0,
    notRetriedIn: undefined,
  })
  return { mail: none(), webhook: none() }
}
