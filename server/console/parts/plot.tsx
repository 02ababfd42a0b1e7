import { count } from './text.js'

interface Day {
  day: string
}

interface Props<Row extends Day> {
  title: string
  days: readonly Row[]
  numberOf(day: Row): number
}

const width = 600
const height = 120

/** Numbers of each day, as bars and as a table. */
export function Plot<Row extends Day>({ title, days, numberOf }: Props<Row>) {
  const values = days.map(numberOf)
  const most = Math.max(1, ...values)
  const total = values.reduce((sum, value) => sum + value, 0)
  const step = width / Math.max(1, days.length)
  const summary = `${count(total)} in ${days.length} days, at most ${count(Math.max(0, ...values))} a day`
  return (
    <figure class="plot">
      <figcaption>
        <strong>{title}</strong> <span class="soft">{summary}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`${title}: ${summary}`}
        preserveAspectRatio="none"
      >
        <line x1="0" y1={height - 0.5} x2={width} y2={height - 0.5} class="axis" />
        {values.map((value, index) => {
          const size = (value / most) * (height - 8)
          return (
            <rect
              key={days[index]?.day}
              x={index * step + step * 0.15}
              y={height - size}
              width={step * 0.7}
              height={size}
              class="bar"
            >
              <title>{`${days[index]?.day}: ${count(value)}`}</title>
            </rect>
          )
        })}
      </svg>
      <p class="row spread soft">
        <span>{days[0]?.day}</span>
        <span>{days.at(-1)?.day}</span>
      </p>
    </figure>
  )
}

/** The numbers of all plots. */
export function PlotTable<Row extends Day>({
  caption,
  days,
  columns,
}: {
  caption: string
  days: readonly Row[]
  columns: readonly { title: string; numberOf(day: Row): number }[]
}) {
  return (
    <details>
      <summary>{caption} as a table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must scroll it */}
      <section class="scrolls" tabIndex={0} aria-label={`${caption}, table`}>
        <table class="numbers">
          <caption>{caption}</caption>
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              {columns.map(({ title }) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...days].reverse().map((day) => (
              <tr key={day.day}>
                <th scope="row">{day.day}</th>
                {columns.map(({ title, numberOf }) => (
                  <td key={title}>{count(numberOf(day))}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}
