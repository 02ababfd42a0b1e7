import { useState } from 'preact/hooks'
import { call, type DataOf, type Task } from '../../api.js'
import { useConsole } from '../../context.js'
import { FormDialog } from '../../parts/dialog.js'
import { Edit, type EditedField } from '../../parts/edit.js'
import { Field } from '../../parts/form.js'
import { announce } from '../../parts/status.js'
import { SecretField } from './secret-field.js'

const fields: readonly EditedField[] = [
  { name: 'clientId', label: 'Client ID', kind: 'text' },
  { name: 'title', label: 'Title', kind: 'text', hint: 'Text of the button. Empty: that of the preset.' },
  {
    name: 'scopes',
    label: 'Scopes',
    kind: 'list',
    hint: 'Separated by commas. Empty: those of the preset.',
  },
  {
    name: 'audiences',
    label: 'Other client IDs',
    kind: 'list',
    hint: 'Those of apps on phones, separated by commas.',
  },
  {
    name: 'linkByEmail',
    label: 'Link by address',
    kind: 'switch',
    hint: 'A first login links the account with its address.',
  },
  {
    name: 'trustEmail',
    label: 'Trust addresses',
    kind: 'switch',
    hint: 'Each address that the provider has verified proves its mailbox. On only for your own provider.',
  },
]

const ofKey: readonly EditedField[] = [
  { name: 'teamId', label: 'Team ID', kind: 'text' },
  { name: 'keyId', label: 'Key ID', kind: 'text' },
]

interface Props {
  connection: DataOf<'getConnection'>
  reload(): Promise<void>
  close(): void
}

/** A dialog that changes a connection. If it has changed meanwhile, it shows both versions. */
export function ChangeConnection({ connection, etag, reload, close }: Props & { etag: string | undefined }) {
  const { at } = useConsole()
  const of = { ...at, connection: connection.name }
  // So that the version that is saved after a conflict needs no second confirmation.
  const [task] = useState<Task>({})
  return (
    <Edit
      title="Change the connection"
      fields={connection.teamId === null ? fields : [...fields, ...ofKey]}
      current={connection}
      etag={etag}
      save={(body, ifMatch) => call('changeConnection', { ...of, body, ifMatch, task })}
      read={() => call('getConnection', of)}
      onSaved={() => {
        announce('The connection is changed. Servers apply it within 5 seconds.')
        reload()
      }}
      onClose={close}
    />
  )
}

/** A dialog that replaces the secret of the client. A new private key has another ID. */
export function ReplaceSecret({ connection, reload, close: onClose }: Props) {
  const { at } = useConsole()
  const { name, keyId } = connection
  const [task] = useState<Task>({})
  return (
    <FormDialog
      title="Replace the secret"
      onClose={onClose}
      submit="Replace"
      send={async (body) => {
        const { error } = await call('changeConnection', { ...at, connection: name, body, task })
        if (error) return error
        onClose()
        announce('The secret is replaced. Check whether the provider accepts it.')
        await reload()
        return undefined
      }}
    >
      {keyId !== null && <Field name="keyId" label="Key ID" value={keyId} maxLength={10} />}
      <SecretField isKey={keyId !== null} />
    </FormDialog>
  )
}
