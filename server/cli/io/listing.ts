import type { Command } from '@commander-js/extra-typings'
import type { Page } from '../../domain/admin/page.js'
import { wholeNumber } from './arguments.js'
import { print } from './with-store.js'

/**
 * Adds the options of a paged listing.
 *
 * @param keyName what `--after` takes, for the help text
 */
export const addPageOptions = <Key>(command: Command, keyName: string, parseKey: (text: string) => Key) =>
  command
    .option('--limit <count>', 'maximum number of rows', wholeNumber(1, 1000), 100)
    .option('--after <last>', `start after the row with this ${keyName}`, parseKey)
    .option('--json', 'print a JSON array; if it has fewer rows than the limit, it is the last page')

/** Prints a page: one line per row, or the rows as an array with --json. */
export function printPage<Row>(
  options: Page<unknown> & { json?: boolean },
  rows: readonly Row[],
  { line, key, empty }: { line: (row: Row) => string; key: (row: Row) => string; empty: string },
) {
  const lines = rows.map(line)
  const last = rows.at(-1)
  if (last && rows.length === options.limit) lines.push(`Next page: --after ${key(last)}`)
  print(options, rows, lines.join('\n') || empty)
}

/** Replaces control characters: text from clients must not control the operator's terminal. */
export const printable = (text: string) => text.replace(/\p{C}/gu, '\uFFFD')
