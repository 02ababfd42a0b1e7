import type { ComponentChildren } from 'preact'
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ConsoleContext } from '../context.js'
import { takesFocus } from '../navigation.js'

/** A text of a user. It is isolated, because it may have another direction, and it is never a link. */
export const Name = ({ of }: { of: string | null | undefined }) =>
  of ? <bdi>{of}</bdi> : <span class="soft">–</span>

const twoDigits = (value: number) => String(value).padStart(2, '0')

/** Returns a time in the time zone of the browser. */
export function shortTime(at: string) {
  const date = new Date(at)
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-')
  return `${day} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`
}

const minute = 60_000
const units = [
  ['minute', minute],
  ['hour', 60 * minute],
  ['day', 24 * 60 * minute],
] as const
const relative = new Intl.RelativeTimeFormat('en')

/** Returns how long ago a time was, or in how long it will be. One that is further than 30 days is a day. */
export function relativeTime(at: string, now = Date.now()) {
  const distance = Date.parse(at) - now
  const size = Math.abs(distance)
  if (size < minute) return 'just now'
  if (size >= 30 * 24 * 60 * minute) return shortTime(at).slice(0, 10)
  const [unit, length] = units.findLast(([, length]) => size >= length) ?? units[0]
  return relative.format(Math.trunc(distance / length), unit)
}

/** A time relative to now, or a dash. The exact one is its title. */
export function Time({ at }: { at: string | null | undefined }) {
  const [, setTicks] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTicks((former) => former + 1), minute)
    return () => clearInterval(timer)
  }, [])
  if (!at) return <span class="soft">–</span>
  return (
    <time dateTime={at} title={`${shortTime(at)} (${at})`}>
      {relativeTime(at)}
    </time>
  )
}

const numbers = new Intl.NumberFormat('en')
export const count = (value: number) => numbers.format(value)

/** Returns a number with its noun. */
export const counted = (value: number, one: string, other = `${one}s`) =>
  `${count(value)} ${value === 1 ? one : other}`

/** Returns a number of users of a list: 101 are more than 100 that were not counted yet. Others were counted some hours ago. */
export const countOfUsers = (users: number) =>
  users === 101 ? 'more than 100' : (users > 101 ? 'about ' : '') + count(users)

/** Returns a length of time in one unit, rounded up. */
export function duration(seconds: number) {
  if (seconds < 60) return `${Math.ceil(seconds)} s`
  if (seconds < 3_600) return `${Math.ceil(seconds / 60)} min`
  return seconds < 86_400 ? `${Math.ceil(seconds / 3_600)} h` : `${Math.ceil(seconds / 86_400)} d`
}

/** The heading of a screen. It takes the focus after a navigation, and names the page. */
export function Heading({ title, children }: { title: string; children?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const { workspaceSlug, databaseName } = useContext(ConsoleContext)?.place ?? {}
  const name = databaseName && `${workspaceSlug}/${databaseName}`
  useLayoutEffect(() => {
    document.title = [title, ...(name && name !== title ? [name] : []), 'Usher'].join(' – ')
    if (takesFocus()) heading.current?.focus()
  }, [title])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? title}
    </h1>
  )
}

/** What to do if a list has no items, with the command that does it. */
export const Empty = ({
  children,
  command,
}: {
  children: ComponentChildren
  command?: string | undefined
}) => (
  <div class="empty">
    <p>{children}</p>
    {command && (
      <p>
        <span class="soft">Or on the command line:</span>
        <br />
        <code>npx @usher/server {command}</code>
      </p>
    )}
  </div>
)

/** A term and its value in a `<dl>`. */
export const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** The heading of a section, with what can be done in it. */
export const Heading2 = ({
  title,
  id,
  children,
}: {
  title: string
  id?: string
  children?: ComponentChildren
}) => (
  <div class="row spread">
    <h2 id={id}>{title}</h2>
    {children}
  </div>
)

/** The heading of a part of a section. */
export const Heading3 = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="row spread">
    <h3>{title}</h3>
    {children}
  </div>
)
