/** Intervals of deliveries in milliseconds. Tests shorten them. */
export interface DeliveryIntervals {
  /** Interval between two searches of the store for messages. Workers of Citus are searched every second time. */
  search: number
  /** Longest wait of a retry that this process schedules. The search finds messages that are due later. */
  retry: number
  /** Time limit of a webhook request, including its response. */
  webhook: number
}

export const usualIntervals: Readonly<DeliveryIntervals> = { search: 2_000, retry: 4_000, webhook: 10_000 }
