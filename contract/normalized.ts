/** Returns whether a text has more code points than a limit. Does not count those of a text that is much longer. */
export const isLongerThan = (text: string, limit: number) =>
  text.length > 2 * limit || (text.length > limit && [...text].length > limit)

/** A code point decomposes into at most four that compose to it again (Unicode Standard Annex #15). */
const mostComposed = 4

/**
 * Returns a text in a Unicode normalization form, or unchanged if its normalization form has more than `limit` code points.
 * The limit comes first, because normalization sorts marks in time that grows with the square of their number.
 */
export const normalized = (text: string, form: 'NFC' | 'NFKC', limit: number) =>
  isLongerThan(text, mostComposed * limit) ? text : text.normalize(form)
