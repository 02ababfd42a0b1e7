import { useId } from 'preact/hooks'
import { textOf } from '../../parts/versions.js'
import { capital, inForm, inLargerUnits, type Origin, originOf, type Setting } from './groups.js'

interface Props {
  setting: Setting
  text: string
  isEdited: boolean
  isReadonly: boolean
  /** Why its value was refused. */
  error: string | undefined
  change(text: string): void
}

/** A setting: what it decides, its value, and where the value comes from. */
export function SettingField({ setting, text, isEdited, isReadonly, error, change }: Props) {
  const id = useId()
  const { label, description, kind, confirms } = setting
  const usual = textOf(setting.default)
  const origin = originOf(setting, text)
  return (
    <div class={isEdited ? 'setting edited' : 'setting'}>
      <div>
        {isReadonly ? <strong>{capital(label)}</strong> : <label for={id}>{capital(label)}</label>}
        <small id={`${id}-hint`}>
          {capital(inForm(description))}.{kind === 'list' && ' Separated by commas.'}
          {confirms && !isReadonly && ' A change asks for your passkey or code.'}
        </small>
      </div>
      <div>
        {isReadonly ? (
          <bdi>{text || setting.empty || 'none'}</bdi>
        ) : (
          <Input id={id} setting={setting} text={text} isRefused={error !== undefined} change={change} />
        )}
        <Unit id={`${id}-unit`} setting={setting} text={text} />
        {error && (
          <small id={`${id}-error`} class="error">
            {error}
          </small>
        )}
        <small id={`${id}-origin`} class="row">
          {isEdited ? <span class="mark">not saved</span> : <Mark origin={origin} />}
          {origin === 'changed' && `Default: ${shown(setting, usual)}`}
          {origin === 'inherited' && setting.empty}
          {origin === 'changed' && !isReadonly && (
            <button type="button" class="link" onClick={() => change(usual)}>
              Use the default<span class="unseen"> of {label}</span>
            </button>
          )}
        </small>
      </div>
    </div>
  )
}

const Mark = ({ origin }: { origin: Origin }) => (
  <span class={origin === 'changed' ? 'mark changed' : 'mark'}>{origin}</span>
)

const shown = ({ unit, empty }: Setting, text: string) => {
  const value = text || empty || 'empty'
  return inLargerUnits(unit, text) ?? (unit && text ? `${value} ${unit}` : value)
}

/** The unit next to the field, and a long time in words. */
function Unit({ id, setting: { unit }, text }: { id: string; setting: Setting; text: string }) {
  const larger = inLargerUnits(unit, text)
  return (
    <span id={id} class="unit">
      {unit}
      {larger && ` = ${larger}`}
    </span>
  )
}

interface InputProps {
  id: string
  setting: Setting
  text: string
  isRefused: boolean
  change(text: string): void
}

function Input({ id, setting, text, isRefused, change }: InputProps) {
  const { kind, choices, min, max, empty } = setting
  const options = kind === 'switch' ? ['on', 'off'] : kind === 'choice' ? (choices ?? []) : undefined
  const common = {
    id,
    'aria-describedby': ['unit', 'error', 'origin', 'hint'].map((part) => `${id}-${part}`).join(' '),
    'aria-invalid': isRefused ? true : undefined,
    onInput: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value),
  }
  if (options)
    return (
      <select {...common} value={text}>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    )
  if (kind === 'json') return <textarea {...common} rows={4} spellcheck={false} value={text} />
  return kind === 'number' ? (
    <input {...common} type="number" value={text} min={min ?? undefined} max={max ?? undefined} />
  ) : (
    <input {...common} type="text" value={text} placeholder={empty ?? undefined} spellcheck={false} />
  )
}
