import { useId } from 'preact/hooks'
import { textOf } from '../../parts/versions.js'
import { inForm, type Setting } from './groups.js'

interface Props {
  setting: Setting
  text: string
  isReadonly: boolean
  /** Why its value was refused. */
  error: string | undefined
  change(text: string): void
}

/** A setting with its value and its default. */
export function SettingField({ setting, text, isReadonly, error, change }: Props) {
  const { label, description, kind, choices, min, max } = setting
  const id = useId()
  const isDefault = textOf(setting.default) === text
  const hint = `${inForm(description)}. Default: ${textOf(setting.default) || 'empty'}.`
  if (isReadonly)
    return (
      <dl class="setting">
        <div>
          <dt>{label}</dt>
          <dd>
            <bdi>{text || 'none'}</bdi>
            <br />
            <small>{hint}</small>
          </dd>
        </div>
      </dl>
    )
  const options = kind === 'switch' ? ['on', 'off'] : kind === 'choice' ? (choices ?? []) : undefined
  const common = { id, 'aria-describedby': `${id}-hint`, 'aria-invalid': error ? true : undefined }
  const onInput = (event: { currentTarget: { value: string } }) => change(event.currentTarget.value)
  return (
    <div class="setting field">
      <label for={id}>
        {label} {!isDefault && <small>(changed from the default)</small>}
      </label>
      {options ? (
        <select {...common} value={text} onChange={onInput}>
          {options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </select>
      ) : kind === 'json' ? (
        <textarea {...common} rows={4} spellcheck={false} value={text} onInput={onInput} />
      ) : kind === 'number' ? (
        <input
          {...common}
          type="number"
          value={text}
          min={min ?? undefined}
          max={max ?? undefined}
          onInput={onInput}
        />
      ) : (
        <input {...common} type="text" value={text} spellcheck={false} onInput={onInput} />
      )}
      <small id={`${id}-hint`}>
        {error && <span class="error">{error} </span>}
        {hint}
        {kind === 'list' && ' Separated by commas.'}
        {setting.confirms && ' A change asks for your passkey or code.'}
      </small>
    </div>
  )
}
