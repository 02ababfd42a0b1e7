import { useState } from 'preact/hooks'
import type { Result } from '../api.js'
import { invalid, type Problem } from '../problems.js'
import { Dialog, Leave } from './dialog.js'
import { Field, Form, type Values } from './form.js'
import { conflicts, textOf, Versions, valueFrom } from './versions.js'

export interface EditedField {
  name: string
  label: string
  kind: 'text' | 'number' | 'json' | 'list' | 'switch'
  hint?: string
}

interface Props {
  title: string
  fields: readonly EditedField[]
  current: Readonly<Record<string, unknown>>
  etag: string | undefined
  /** Saves the fields that have changed, if the resource still has the ETag. */
  save(changes: Record<string, unknown>, etag: string | undefined): Promise<Result<unknown>>
  read(): Promise<Result<Record<string, unknown>>>
  onSaved(): void
  onClose(): void
}

/** A dialog that changes fields of an object. If it has changed meanwhile, it shows both versions. */
export function Edit({ title, fields, current, etag, save, read, onSaved, onClose }: Props) {
  const [newer, setNewer] = useState<{
    mine: Record<string, unknown>
    data: Record<string, unknown>
    etag: string | undefined
  }>()

  async function send(values: Values, close: () => void): Promise<Problem | undefined> {
    const changes: Record<string, unknown> = {}
    for (const { name, label, kind } of fields) {
      const text = values[name] ?? ''
      if (text === textOf(current[name])) continue
      try {
        changes[name] = valueFrom(text, kind)
      } catch {
        return invalid(name, `${label} is not valid JSON.`)
      }
    }
    if (Object.keys(changes).length === 0) return close() as undefined
    const { error } = await save(changes, newer?.etag ?? etag)
    if (!error) {
      close()
      onSaved()
      return undefined
    }
    if (error.code === 'precondition_failed') {
      const now = await read()
      if (now.data) setNewer({ mine: changes, data: now.data, etag: now.etag })
    }
    return error
  }
  return (
    <Dialog title={title} onClose={onClose}>
      {(close) => (
        <Form
          submit={newer ? 'Save my version' : 'Save'}
          send={(values) => send(values, close)}
          more={<Leave close={close} discard={newer && onSaved} />}
        >
          {fields.map(({ name, label, kind, hint }) => (
            <Field
              key={name}
              name={name}
              label={label}
              hint={hint}
              value={textOf(current[name])}
              isLong={kind === 'json'}
              {...(kind === 'switch' && { options: ['on', 'off'] })}
              isOptional
            />
          ))}
          {newer && (
            <Versions
              caption="Both versions"
              former="Yours"
              latter="Stored now"
              differences={conflicts(fields, { mine: newer.mine, former: current, stored: newer.data })}
            />
          )}
        </Form>
      )}
    </Dialog>
  )
}
