/** A command that was partly successful and has already reported each failure as text. Of an import, its rejected lines. */
export class PartialFailureError extends Error {}
