import type { Command } from 'commander'
import type { Page } from '../../domain/admin/page.js'
import { wholeNumber } from './arguments.js'
import { print } from './with-store.js'

/** Gives a command the options of a listing that goes page by page. */
export const addPageOptions = (command: Command, after: string, readAfter: (text: string) => unknown) =>
  command
    .option('--limit <count>', 'how many to list', wholeNumber(1, 1000), 100)
    .option('--after <last>', `list what comes after this ${after}`, readAfter)
    .option('--json', 'print JSON: an array, which ends the list when it is shorter than the limit')

/** Prints a page: a line for each row, or with --json the rows as an array. */
export function printPage<Row>(
  options: Page<unknown> & { json?: boolean },
  rows: readonly Row[],
  { line, key, none }: { line: (row: Row) => string; key: (row: Row) => string; none: string },
) {
  const lines = rows.map(line)
  const last = rows.at(-1)
  if (last && rows.length === options.limit) lines.push(`Go on with: --after ${key(last)}`)
  print(options, rows, lines.join('\n') || none)
}

/** Text of clients in a form that cannot steer a terminal. */
export const printable = (text: string) => text.replace(/\p{C}/gu, '\uFFFD')
