/** A part of a listing: so many rows, those after the one with this key. */
export interface Page<Key> {
  limit: number
  after?: Key
}
