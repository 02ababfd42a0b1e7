/** A page of a listing: at most `limit` rows that follow the row with key `after`. */
export interface Page<Key> {
  limit: number
  after?: Key
}
