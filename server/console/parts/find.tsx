import { useEffect, useId, useRef, useState } from 'preact/hooks'

/** How long the operator pauses before a search starts. */
const pauseMilliseconds = 200

interface Props {
  label: string
  hint?: string
  /** What is found now. */
  value: string
  maxLength?: number
  /** Says how much was found. Empty while it is being found. */
  status: string
  find(text: string): void
}

/** A field that finds while the operator types. Enter does not wait for a pause. */
export function Find({ label, hint, value, maxLength = 63, status, find }: Props) {
  const id = useId()
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const search = (next: string) => {
    clearTimeout(timer.current)
    if (next.trim() !== value) find(next.trim())
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          search(text)
        }}
      >
        <div class="field">
          <label for={id}>{label}</label>
          <input
            id={id}
            type="search"
            autocomplete="off"
            spellcheck={false}
            aria-describedby={hint && `${id}-hint`}
            maxLength={maxLength}
            value={text}
            onInput={(event) => {
              const next = event.currentTarget.value
              setText(next)
              clearTimeout(timer.current)
              timer.current = setTimeout(() => search(next), pauseMilliseconds)
            }}
          />
          {hint && <small id={`${id}-hint`}>{hint}</small>}
        </div>
      </form>
      {/* Only of a search, because a screen says what it shows when it is opened. */}
      <p role="status" class="unseen">
        {value && status}
      </p>
    </search>
  )
}
