// A matrix is text: sections that begin with `##`, each with a table whose columns are separated by two spaces or more.

/** Cells by column. The first column is the name of the row. */
export type Row = Record<string, string>
export type Sections = Record<string, Row[]>

const split = (line: string) => line.trim().split(/ {2,}/)

/** Returns the tables of a text. Lines before the first section say what the cells mean. */
export function parseMatrix(text: string): Sections {
  const [, ...sections] = text.split(/^## /m)
  return Object.fromEntries(
    sections.map((section) => {
      const [title = '', header = '', ...lines] = section.split('\n').filter((line) => line.trim() !== '')
      const columns = split(header)
      const rows = lines.map((line) => {
        const cells = split(line)
        if (cells.length !== columns.length) throw new Error(`needs ${columns.length} cells: ${line}`)
        return Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']))
      })
      return [title, rows]
    }),
  )
}

/** Returns the text of a table with aligned columns. */
function formatTable(rows: readonly Row[]) {
  const columns = Object.keys(rows[0] ?? {})
  const table = [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
  const widths = columns.map((_, index) => Math.max(...table.map((cells) => cells[index]?.length ?? 0)))
  return table
    .map((cells) =>
      cells
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Returns the text of tables, after the lines that say what the cells mean. */
export const formatMatrix = (preface: string, sections: Sections) =>
  `${preface.trimEnd()}\n${Object.entries(sections)
    .map(([title, rows]) => `\n## ${title}\n\n${formatTable(rows)}\n`)
    .join('')}`
