import type { Command } from '@commander-js/extra-typings'
import { wholeNumber } from './arguments.js'
import type { Host } from './host.js'

/**
 * Adds the options of a paged listing.
 *
 * @param keyName name of the value that `--after` takes, for the help text
 */
export const addPageOptions = <Key, Arguments extends unknown[]>(
  command: Command<Arguments>,
  keyName: string,
  parseKey: (text: string) => Key,
) =>
  command
    .option('--limit <count>', 'maximum number of rows', wholeNumber(1, 1000), 100)
    .option('--after <last>', `start after the row with this ${keyName}`, parseKey)
    .option('--json', 'print the result as JSON; on the last page, next is null')

/** Functions that return the cell of a row, by column header. */
type Columns<Row> = Record<string, (row: Row) => string | number>

interface Listing<Row> {
  body: { next: string | null }
  rows: readonly Row[]
  columns: Columns<Row>
  /** Printed instead of a table without rows. */
  empty: string
}

/** Returns the query of a page. */
export const pageOf = <After extends string | undefined>({
  limit,
  after,
}: {
  limit: number
  after?: After
}) => ({
  limit: String(limit),
  ...(after !== undefined && { after }),
})

/** Prints a page: a table, or the body of the response with --json. */
export function printPage<Row>(
  host: Host,
  options: { json?: boolean },
  { body, rows, columns, empty }: Listing<Row>,
) {
  const next = body.next === null ? '' : `\nNext page: --after ${body.next}`
  host.print(options, body, rows.length > 0 ? table(rows, columns) + next : empty)
}

/** Returns rows as aligned columns with headers. Text of any script must be in the last column. */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>) {
  const cells = rows.map((row) => Object.values(columns).map((cell) => String(cell(row))))
  return aligned([Object.keys(columns), ...cells])
}

/** Pads the cells of each column to the same length. */
export function aligned(lines: readonly (readonly string[])[]) {
  const width = (column: number) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0))
  const widths = lines[0]?.map((_, column) => width(column)) ?? []
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Replaces control characters, because text from clients must not control the operator's terminal. */
export const printable = (text: string) => text.replace(/\p{C}/gu, '\uFFFD')

/** The same for text of several lines, which may have invisible characters of its language. */
export const printableLines = (text: string) => text.replace(/[^\P{Cc}\n]/gu, '\uFFFD')
