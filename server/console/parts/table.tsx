import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

/** A column. The first one heads its row. Narrow pages show it and the kept one, and the others below the first. */
export interface Column<Row> {
  name: string
  cell(row: Row): ComponentChildren
  isKept?: boolean
}

interface Props<Row> {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  empty: ComponentChildren
}

export function Table<Row>({ caption, columns, rows, keyOf, empty }: Props<Row>) {
  if (rows.length === 0) return <>{empty}</>
  const [first, ...others] = columns as [Column<Row>, ...Column<Row>[]]
  const hidden = others.filter(({ isKept }) => !isKept)
  const classOf = ({ isKept }: Column<Row>) => (isKept ? 'kept' : 'wide')
  return (
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{first.name}</th>
          {others.map((column) => (
            <th key={column.name} scope="col" class={classOf(column)}>
              {column.name || <span class="unseen">Actions</span>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <th scope="row">
              {first.cell(row)}
              <div class="narrow">
                {hidden.map(({ name, cell }) => (
                  <div key={name}>
                    {name && `${name}: `}
                    {cell(row)}
                  </div>
                ))}
              </div>
            </th>
            {others.map((column) => (
              <td key={column.name} class={classOf(column)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The place in a list whose pages follow each other: `after` of each page up to the current one. */
export function usePages() {
  const [afters, setAfters] = useState<readonly (string | undefined)[]>([undefined])
  return {
    after: afters.at(-1),
    isFirst: afters.length === 1,
    first: () => setAfters([undefined]),
    next: (after: string) => setAfters([...afters, after]),
    previous: () => setAfters(afters.slice(0, -1)),
  }
}

/** The buttons between pages. */
export function Pager({ pages, next }: { pages: ReturnType<typeof usePages>; next: string | null }) {
  if (pages.isFirst && !next) return null
  return (
    <nav class="row end" aria-label="Pages">
      <button type="button" disabled={pages.isFirst} onClick={pages.previous}>
        Previous
      </button>
      <button type="button" disabled={!next} onClick={() => next && pages.next(next)}>
        Next
      </button>
    </nav>
  )
}
