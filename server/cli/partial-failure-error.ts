/** A command that was partly successful and has already reported what failed. */
export class PartialFailureError extends Error {}
