import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { axisOf, shortCount, shortDay } from './axis.js'
import { count } from './text.js'

interface Day {
  day: string
}

interface Props<Row extends Day> {
  title: string
  /** The last one is today, which is not over. */
  days: readonly Row[]
  numberOf(day: Row): number
}

const height = 150
/** Around the bars, for the labels of the axes. */
const space = { top: 8, bottom: 22, start: 38 }
const plotHeight = height - space.top - space.bottom

/** Numbers of each day, as bars. The pointer and the arrow keys choose a day, whose number is shown and announced. */
export function Plot<Row extends Day>({ title, days, numberOf }: Props<Row>) {
  const { figure, width } = useWidth()
  const [chosen, setChosen] = useState<number>()
  const values = days.map(numberOf)
  const total = values.reduce((sum, value) => sum + value, 0)
  const summary = `${count(total)} in ${days.length} days, at most ${count(Math.max(0, ...values))} a day`
  const last = days.length - 1
  const textOfDay = (index: number) =>
    `${shortDay(days[index]?.day ?? '')}: ${count(values[index] ?? 0)}${index === last ? ' so far today' : ''}`
  return (
    <figure class="plot">
      <figcaption>
        <strong>{title}</strong>
        <span class="soft">{chosen === undefined ? summary : textOfDay(chosen)}</span>
      </figcaption>
      <div class="canvas" ref={figure}>
        <Bars
          name={`${title}: ${summary}. Today is not over.`}
          days={days}
          values={values}
          width={width}
          chosen={chosen}
        />
        <div
          class="days"
          role="slider"
          tabIndex={0}
          aria-label={`${title} by day`}
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={chosen ?? last}
          aria-valuetext={textOfDay(chosen ?? last)}
          onFocus={() => setChosen((former) => former ?? last)}
          onBlur={() => setChosen(undefined)}
          onKeyDown={(event) => {
            const next = dayOfKey(event.key, chosen ?? last, last)
            if (next === undefined) return
            event.preventDefault()
            setChosen(next)
          }}
          onPointerMove={(event) => {
            const { left, width } = event.currentTarget.getBoundingClientRect()
            const index = Math.floor(((event.clientX - left) / width) * days.length)
            setChosen(Math.min(last, Math.max(0, index)))
          }}
          onPointerLeave={(event) => document.activeElement !== event.currentTarget && setChosen(undefined)}
        />
      </div>
    </figure>
  )
}

/** Returns the day that a key chooses, as keys of a slider do. */
function dayOfKey(key: string, chosen: number, last: number) {
  if (key === 'Home') return 0
  if (key === 'End') return last
  if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, chosen - 1)
  if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, chosen + 1)
  return undefined
}

/** Returns the width of an element, so that texts in its picture have their own size. */
function useWidth() {
  const figure = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(360)
  useLayoutEffect(() => {
    if (!figure.current) return
    const observer = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width))
    observer.observe(figure.current)
    return () => observer.disconnect()
  }, [])
  return { figure, width }
}

interface BarsProps {
  name: string
  days: readonly Day[]
  values: readonly number[]
  width: number
  chosen: number | undefined
}

function Bars({ name, days, values, width, chosen }: BarsProps) {
  const { ticks, most } = axisOf(Math.max(0, ...values))
  const step = Math.max(0, width - space.start) / Math.max(1, days.length)
  const yOf = (value: number) => space.top + plotHeight * (1 - value / most)
  const last = days.length - 1
  const labels = [
    { index: 0, anchor: 'start', text: shortDay(days[0]?.day ?? '') },
    { index: Math.floor(last / 2), anchor: 'middle', text: shortDay(days[Math.floor(last / 2)]?.day ?? '') },
    { index: last + 1, anchor: 'end', text: 'today' },
  ] as const
  return (
    <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={name}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={space.start} y1={yOf(tick)} x2={width} y2={yOf(tick)} class={tick ? 'grid' : 'axis'} />
          <text x={space.start - 6} y={yOf(tick) + 4} text-anchor="end">
            {shortCount(tick)}
          </text>
        </g>
      ))}
      {values.map((value, index) => (
        <rect
          key={days[index]?.day}
          x={space.start + step * (index + 0.15)}
          y={yOf(value)}
          width={step * 0.7}
          height={plotHeight - (yOf(value) - space.top)}
          class={['bar', index === last && 'today', index === chosen && 'chosen'].filter(Boolean).join(' ')}
        />
      ))}
      {labels.map(({ index, anchor, text }) => (
        <text key={anchor} x={space.start + step * index} y={height - 4} text-anchor={anchor}>
          {text}
        </text>
      ))}
    </svg>
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
            {[...days].reverse().map((day, index) => (
              <tr key={day.day}>
                <th scope="row">
                  {day.day}
                  {index === 0 && ' (so far)'}
                </th>
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
