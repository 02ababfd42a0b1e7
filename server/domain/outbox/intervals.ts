/** Milliseconds of deliveries, which tests shorten. */
export interface DeliveryIntervals {
  /** Between two searches of the store for messages. That of each worker is every second time, because it costs more. */
  search: number
  /** A message that is due again later than this is left to the search. */
  retry: number
  /** A webhook request takes this long at most, its response included. */
  webhook: number
}

export const usualIntervals: Readonly<DeliveryIntervals> = { search: 2_000, retry: 4_000, webhook: 10_000 }
