import { Problem } from '../domain/problem.js'

/** A command that was partly successful and has already reported each failure as text. */
export class PartialFailureError extends Problem {}
