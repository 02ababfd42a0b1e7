import { useState } from 'preact/hooks'
import { call, type DataOf, type Task } from '../../api.js'
import { useConsole } from '../../context.js'
import { Dialog, Leave } from '../../parts/dialog.js'
import { Form } from '../../parts/form.js'
import { conflicts, textOf, Versions } from '../../parts/versions.js'
import type { Problem } from '../../problems.js'
import { nameOf } from './groups.js'

interface Props {
  settings: DataOf<'getSettings'>
  etag: string | undefined
  changes: Record<string, unknown>
  /** Called with the errors of fields. */
  onRefused(problem: Problem): void
  onSaved(saved?: DataOf<'changeSettings'>): void
  onClose(): void
}

/** Shows the difference before it is saved. If the settings have changed meanwhile, it shows both versions. */
export function Review({ settings, etag, changes, onRefused, onSaved, onClose }: Props) {
  const { at } = useConsole()
  const [newer, setNewer] = useState<{ values: Record<string, unknown>; etag: string | undefined }>()
  // So that the version that is saved after a conflict needs no second confirmation.
  const [task] = useState<Task>({})
  const named = settings.settings.map((setting) => ({ name: setting.name, label: nameOf(setting) }))
  const labels = Object.fromEntries(named.map(({ name, label }) => [name, label]))
  const former = settings.values

  async function save(close: () => void) {
    const ifMatch = newer?.etag ?? etag
    const { data, error } = await call('changeSettings', {
      ...at,
      body: { settings: changes },
      ifMatch,
      task,
    })
    if (!error) {
      close()
      onSaved(data)
    } else if (error.code === 'validation_failed') {
      close()
      onRefused(error)
    } else if (error.code === 'precondition_failed') {
      const now = await call('getSettings', at)
      if (now.data) setNewer({ values: now.data.values, etag: now.etag })
    }
    return error
  }
  return (
    <Dialog title="Review the changes" onClose={onClose}>
      {(close) => (
        <Form
          submit={newer ? 'Save my version' : 'Save'}
          send={() => save(close)}
          more={<Leave close={close} discard={newer && (() => onSaved())} />}
        >
          {newer ? (
            <Versions
              caption="Somebody has changed the settings meanwhile"
              former="Yours"
              latter="Stored now"
              differences={conflicts(named, { mine: changes, former, stored: newer.values })}
            />
          ) : (
            <Versions
              caption="Difference"
              former="Now"
              latter="After saving"
              differences={Object.entries(changes).map(([name, value]) => ({
                name: labels[name] ?? name,
                former: textOf(former[name]),
                latter: textOf(value),
              }))}
            />
          )}
        </Form>
      )}
    </Dialog>
  )
}
