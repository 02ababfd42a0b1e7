import { type ComponentChildren, createContext, type TargetedSubmitEvent } from 'preact'
import { useContext, useId, useState } from 'preact/hooks'
import type { Problem } from '../problems.js'
import { Failure } from './failure.js'

const FormContext = createContext<Problem | undefined>(undefined)

/** What a form has sent, by the names of its fields. Fields that are empty have an empty text. */
export type Values = Readonly<Record<string, string>>

export interface FormProps {
  /** Text of the button. */
  submit: string
  isDanger?: boolean
  label?: string
  /** Sends the form. Returns its problem. */
  send(values: Values): Promise<Problem | undefined>
  children?: ComponentChildren
  /** Buttons next to that of the form. */
  more?: ComponentChildren
}

export function Form({ submit, isDanger, label, send, children, more }: FormProps) {
  const [problem, setProblem] = useState<Problem>()
  const [isBusy, setBusy] = useState(false)
  async function onSubmit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault()
    if (isBusy) return
    const data = new FormData(event.currentTarget, event.submitter)
    setBusy(true)
    setProblem(await send(Object.fromEntries([...data].map(([name, value]) => [name, String(value)]))))
    setBusy(false)
  }
  return (
    <form onSubmit={onSubmit} aria-label={label} aria-busy={isBusy}>
      <FormContext.Provider value={problem}>{children}</FormContext.Provider>
      <Failure problem={problem} />
      <div class="row">
        <button type="submit" class={isDanger ? 'danger' : 'main'}>
          {submit}
        </button>
        {more}
      </div>
    </form>
  )
}

interface FieldProps {
  name: string
  label: string
  hint?: ComponentChildren
  type?: 'text' | 'email' | 'password' | 'number' | 'search'
  value?: string | undefined
  isOptional?: boolean
  isLong?: boolean
  autocomplete?: string
  /** ID of the `<datalist>` that suggests values. */
  list?: string
  options?: readonly string[]
  /** Texts of the options, if they differ from their values. */
  labels?: Readonly<Record<string, string>>
  min?: number | undefined
  max?: number | undefined
  maxLength?: number
  inputMode?: 'numeric'
  onInput?: (text: string) => void
}

/** A field with its label, hint and error. */
export function Field({
  name,
  label,
  hint,
  value,
  isOptional,
  isLong,
  options,
  labels,
  onInput,
  ...more
}: FieldProps) {
  const id = useId()
  const error = useContext(FormContext)?.errors.find(({ path }) => path === name)
  const common = {
    id,
    name,
    required: !isOptional,
    'aria-describedby': `${id}-more`,
    'aria-invalid': error ? true : undefined,
  }
  const input = options ? (
    <select {...common} onChange={(event) => onInput?.(event.currentTarget.value)}>
      {options.map((option) => (
        <option key={option} value={option} selected={option === value}>
          {labels?.[option] ?? (option || 'none')}
        </option>
      ))}
    </select>
  ) : isLong ? (
    <textarea {...common} rows={6} spellcheck={false} defaultValue={value} />
  ) : (
    <input
      {...common}
      type="text"
      autocomplete="off"
      spellcheck={false}
      defaultValue={value}
      onInput={(event) => onInput?.(event.currentTarget.value)}
      {...(more as object)}
    />
  )
  return (
    <div class="field">
      <label for={id}>
        {label}
        {isOptional && <small> (optional)</small>}
      </label>
      {input}
      <small id={`${id}-more`}>
        {/* An error says what the hint says. */}
        {error ? <span class="error">{error.detail}</span> : hint}
      </small>
    </div>
  )
}

interface CheckProps {
  name: string
  label: string
  isChecked?: boolean | undefined
  isDisabled?: boolean
}

/** A box to check. */
export function Check({ name, label, isChecked, isDisabled }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" name={name} value="true" defaultChecked={isChecked} disabled={isDisabled} />{' '}
      {label}
    </label>
  )
}
