import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { count, counted } from './text.js'

/** A column. The first one heads its row. Narrow pages show it and the kept one, and the others below the first. */
export interface Column<Row> {
  name: string
  cell(row: Row): ComponentChildren
  isKept?: boolean
  /** How the rows are ordered by it, if they can be. */
  sort?: { direction: 'ascending' | 'descending' | 'none'; toggle(): void } | undefined
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
          <Head {...first} />
          {others.map((column) => (
            <Head key={column.name} {...column} className={classOf(column)} />
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

type HeadProps = Pick<Column<never>, 'name' | 'sort'> & { className?: string }

/** The head of a column, with the button that orders the rows by it. */
const Head = ({ name, sort, className }: HeadProps) => (
  <th scope="col" class={className} aria-sort={sort?.direction}>
    {sort ? (
      <button type="button" class="sort" onClick={sort.toggle}>
        {name}
        <span aria-hidden="true">
          {sort.direction === 'ascending' ? ' ↑' : sort.direction === 'descending' ? ' ↓' : ' ↕'}
        </span>
      </button>
    ) : (
      name || <span class="unseen">Actions</span>
    )}
  </th>
)

export type Pages = ReturnType<typeof usePages>

/** The place in a list whose pages follow each other: `after` of each page up to the current one, and the rows before it. */
export function usePages() {
  const [places, setPlaces] = useState<readonly { after?: string; start: number }[]>(firstPlace)
  const { after, start } = places.at(-1) ?? { start: 0 }
  return {
    after,
    start,
    isFirst: places.length === 1,
    first: () => setPlaces(firstPlace),
    next: (after: string, rows: number) => setPlaces([...places, { after, start: start + rows }]),
    previous: () => setPlaces(places.slice(0, -1)),
  }
}

const firstPlace = [{ start: 0 }]

interface Shown {
  /** What the rows are, such as `user`. */
  one: string
  others?: string
  rows: number
  pages: Pick<Pages, 'start' | 'isFirst'>
  next: string | null
  /** The number of all rows in words, if it is known. */
  total?: string | undefined
  isSearch?: boolean
}

/** Returns which rows of a list a page shows, such as `Users 51–100 of 1,003`. Says no number that is not known. */
export function rangeOf({ one, others = `${one}s`, rows, pages, next, total, isSearch }: Shown) {
  const found = isSearch ? ' found' : ''
  if (pages.isFirst && !next) return counted(rows, one, others) + found
  const range = `${count(pages.start + 1)}–${count(pages.start + rows)}`
  const name = others.charAt(0).toUpperCase() + others.slice(1)
  // The last page knows how many there are.
  const known = next ? total : count(pages.start + rows)
  return `${name} ${range}${known ? ` of ${known}` : ''}${found}`
}

/** The buttons between pages. */
export function Pager({ pages, next, rows }: { pages: Pages; next: string | null; rows: number }) {
  if (pages.isFirst && !next) return null
  return (
    <nav class="row end" aria-label="Pages">
      <button type="button" disabled={pages.isFirst} onClick={pages.previous}>
        Previous
      </button>
      <button type="button" disabled={!next} onClick={() => next && pages.next(next, rows)}>
        Next
      </button>
    </nav>
  )
}
