import { useEffect, useRef, useState } from 'preact/hooks'
import { call, type Task } from '../api.js'
import { useConsole } from '../context.js'
import { Form } from '../parts/form.js'
import { count, counted, Heading, Name } from '../parts/text.js'
import { invalid, type Problem } from '../problems.js'
import { createOwnerless, type OwnerlessTenant } from './import/ownerless.js'
import { type Slice, slicesOf } from './import/slices.js'

interface Progress {
  isCheck: boolean
  isDone: boolean
  share: number
  created: number
  existing: number
  rejected: readonly { number: number; text: string; errors: string }[]
  ownerless: readonly OwnerlessTenant[]
}

const nothing: Progress = {
  isCheck: false,
  isDone: false,
  share: 0,
  created: 0,
  existing: 0,
  rejected: [],
  ownerless: [],
}

/** Returns what is wrong with a file if it has no lines, or if the first one is not JSON. */
function firstError(line: string | undefined) {
  if (line === undefined) return invalid('file', 'The file has no lines.')
  try {
    JSON.parse(line)
  } catch {
    return invalid('file', `Line 1 is not JSON. Write one user in JSON per line. CSV is not supported.`)
  }
  return undefined
}

/** Imports users from a file, which the browser reads in slices. It may be repeated: existing users stay as they are. */
export function Import() {
  const { at, may } = useConsole()
  const [progress, setProgress] = useState<Progress>()
  const input = useRef<HTMLInputElement>(null)
  const permit = useRef<Task & { until?: number }>({})
  const isLeft = useRef(false)
  useEffect(
    () => () => {
      isLeft.current = true
    },
    [],
  )

  /** Gets a confirmation for an import, unless there is a valid one. */
  async function begin() {
    if ((permit.current.until ?? 0) > Date.now()) return undefined
    const { data, error } = await call('beginImport', at)
    if (data) permit.current = { confirmation: data.value, until: Date.now() + data.maxAge * 1000 }
    return error
  }

  async function run(isCheck: boolean): Promise<Problem | undefined> {
    const file = input.current?.files?.[0]
    if (!file) return undefined
    const { value: first } = await slicesOf(file).next()
    const error = firstError(first?.lines[0]?.text) ?? (isCheck ? undefined : await begin())
    if (error) return error
    const name = isCheck ? 'checkImport' : 'importUsers'
    let state = { ...nothing, isCheck }
    const ownerless = createOwnerless(isCheck)
    for await (const slice of slicesOf(file)) {
      const { error, ...sums } = await sent(state, slice, { name, ownerless })
      if (isLeft.current) return undefined
      if (error) return error
      state = { ...state, ...sums, share: slice.bytes / file.size }
      setProgress(state)
    }
    setProgress({ ...state, isDone: true, share: 1 })
    return undefined
  }

  async function sent(
    state: Progress,
    { lines }: Slice,
    {
      name,
      ownerless,
    }: { name: 'checkImport' | 'importUsers'; ownerless: ReturnType<typeof createOwnerless> },
  ) {
    const body = lines.map(({ text }) => text).join('\n')
    let { data, error } = await call(name, { ...at, body, task: permit.current })
    if (error?.code === 'step_up_required') {
      // The confirmation has expired, or the session was replaced.
      permit.current = {}
      error = await begin()
      if (!error) ({ data, error } = await call(name, { ...at, body, task: permit.current }))
    }
    if (!data) return { error }
    const rejected = data.lines.flatMap(({ line, status, errors }) => {
      const of = lines[line - 1]
      const texts = errors.map(({ path, detail }) => `${path} ${detail}`.trim()).join(', ')
      return status === 'rejected' && of ? [{ ...of, errors: texts }] : []
    })
    return {
      created: state.created + data.created,
      existing: state.existing + data.existing,
      rejected: [...state.rejected, ...rejected],
      ownerless: ownerless.after(lines, data),
    }
  }
  return (
    <>
      <Heading title="Import" />
      <p>
        A file with one user in JSON per line, as <code>npx @usher/server user export</code> writes it. Users
        who exist stay as they are, so a file may be imported again.
      </p>
      {may('importUsers') ? (
        <Form
          submit="Import"
          send={({ check }) => run(!!check)}
          more={
            <button type="submit" name="check" value="true">
              Check without storing
            </button>
          }
        >
          <div class="field">
            <label for="file">File (NDJSON)</label>
            <input ref={input} id="file" type="file" accept=".ndjson,.jsonl,.json,.txt" required />
          </div>
        </Form>
      ) : (
        <p>Your role in this workspace does not allow imports. Ask an owner for a higher role.</p>
      )}
      {progress && <Result {...progress} />}
    </>
  )
}

function Result({ isCheck, isDone, share, created, existing, rejected, ownerless }: Progress) {
  return (
    <section>
      <h2>{isCheck ? 'Check' : 'Progress'}</h2>
      <progress value={share} max={1} aria-label="Part of the file" />
      <p role="status">
        {isDone ? 'Done. ' : ''}
        {isCheck
          ? `An import would create ${counted(created, 'user')}. ${count(existing)} exist, ${count(rejected.length)} lines are wrong.`
          : `${count(created)} created, ${count(existing)} existed, ${count(rejected.length)} rejected.`}
      </p>
      {rejected.length > 0 && (
        <>
          <ul>
            {rejected.slice(0, 20).map(({ number, errors }) => (
              <li key={number}>
                Line {count(number)}: {errors}
              </li>
            ))}
          </ul>
          {rejected.length > 20 && <p>And {count(rejected.length - 20)} more.</p>}
          {isDone && <Rejected lines={rejected.map(({ text }) => text)} />}
        </>
      )}
      {isDone && ownerless.length > 0 && <Ownerless tenants={ownerless} />}
    </section>
  )
}

/** The tenants that an import leaves without an owner. */
const Ownerless = ({ tenants }: { tenants: readonly OwnerlessTenant[] }) => (
  <>
    <p>
      {counted(tenants.length, 'tenant')} without an owner: nobody can invite into{' '}
      {tenants.length === 1 ? 'it' : 'them'} until a user has the role owner.
    </p>
    <ul>
      {tenants.slice(0, 20).map(({ id, name }, index) => (
        <li key={id ?? index}>
          <Name of={name} /> {id && <code>{id}</code>}
        </li>
      ))}
    </ul>
    {tenants.length > 20 && <p>And {count(tenants.length - 20)} more.</p>}
  </>
)

/** The rejected lines as a file, to correct and import again. */
function Rejected({ lines }: { lines: readonly string[] }) {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([`${lines.join('\n')}\n`], { type: 'application/x-ndjson' }))
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [lines.length])
  return (
    <p>
      <a href={url} download="rejected.ndjson">
        Download the rejected lines
      </a>
      , correct them, and import that file.
    </p>
  )
}
