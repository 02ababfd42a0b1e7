import { problems as catalogue, exitCodeOf } from '@usher/contract'
import { otherErrors } from '../../server/dist/cli/report-error.js'
import { table } from './markdown.js'

const problemRows = Object.entries(catalogue).map(([code, { status = '', title, advice = '' }]) => [
  `\`${code}\``,
  status,
  exitCodeOf(code),
  title,
  advice,
])
const otherRows = Object.entries(otherErrors).map(([code, { exit, title }]) => [
  `\`${code}\``,
  '',
  exit,
  title,
  '',
])

/** All codes of problems. */
export const problems = table(
  ['code', 'status', 'exit code', 'title', 'what to do'],
  [...problemRows, ...otherRows],
)
