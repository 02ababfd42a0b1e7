/** Milliseconds of deliveries, which tests shorten. */
export interface DeliveryIntervals {
  /** Between two searches of the store for messages. That of each worker is every second time, because it costs more. */
  search: number
  /** A webhook request takes this long at most, its response included. */
  webhook: number
}

export const usualIntervals: Readonly<DeliveryIntervals> = { search: 2_000, webhook: 10_000 }
