import { useState } from 'preact/hooks'
import { call, type DataOf, type Task } from '../../api.js'
import { useConsole } from '../../context.js'
import { go } from '../../navigation.js'
import { Copy } from '../../parts/copy.js'
import { FormDialog } from '../../parts/dialog.js'
import { Check, Field, type Values } from '../../parts/form.js'
import { announce } from '../../parts/status.js'
import { Fact } from '../../parts/text.js'
import { valueFrom } from '../../parts/versions.js'
import { pathTo } from '../../places.js'
import { SecretField } from './secret-field.js'

type List = DataOf<'listConnectionDetails'>
type Preset = List['presets'][number]

/** A dialog that adds a connection. The preset decides which fields it has. */
export function AddConnection({ list, onClose }: { list: List; onClose(): void }) {
  const { at } = useConsole()
  const [preset, setPreset] = useState<Preset>()
  // So that another attempt, after the provider has rejected the client, needs no second confirmation.
  const [task] = useState<Task>({})
  async function add(values: Values) {
    const { data, error } = await call('addConnection', { ...at, body: bodyOf(values), task })
    if (!data) return error
    announce(`${data.name} is added. Servers offer it within 5 seconds.`)
    go(pathTo(at.workspaceSlug, at.databaseName, 'connections', data.name))
    return undefined
  }
  return (
    <FormDialog title="Add a connection" onClose={onClose} submit="Add" send={add}>
      <Field
        name="preset"
        label="Provider"
        options={['', ...list.presets.map(({ name }) => name)]}
        labels={{
          '': 'Choose a provider',
          ...Object.fromEntries(list.presets.map(({ name, title }) => [name, title])),
        }}
        onInput={(chosen) => setPreset(list.presets.find(({ name }) => name === chosen))}
      />
      {preset && <Client key={preset.name} preset={preset} list={list} />}
    </FormDialog>
  )
}

/** The fields of a client. */
function Client({ preset, list: { connections, callbackUrl } }: { preset: Preset; list: List }) {
  const isTaken = connections.some(({ name }) => name === preset.name)
  const [name, setName] = useState(preset.issuer === null || isTaken ? '' : preset.name)
  const url = callbackUrl.replace('{name}', name)
  return (
    <>
      <Field
        name="name"
        label="Name"
        value={name}
        hint="Part of the callback URL. It cannot change."
        maxLength={32}
        onInput={setName}
      />
      {name && (
        <dl>
          <Fact name="Callback URL, for the console of the provider">
            <code>{url}</code> <Copy value={url} of="the callback URL" />
          </Fact>
        </dl>
      )}
      {preset.issuer === null && (
        <Field name="issuer" label="Issuer" hint="Such as https://login.acme.example." />
      )}
      <Field name="clientId" label="Client ID" />
      {preset.signsSecret && (
        <>
          <Field name="teamId" label="Team ID" hint="10 characters." maxLength={10} />
          <Field name="keyId" label="Key ID" hint="10 characters." maxLength={10} />
        </>
      )}
      <SecretField isKey={preset.signsSecret} isOptional />
      <details>
        <summary>More options</summary>
        {preset.issuer !== null && (
          <Field name="issuer" label="Issuer" isOptional hint={`Empty: ${preset.issuer}`} />
        )}
        <Field name="title" label="Title" isOptional hint={`Text of the button. Empty: ${preset.title}`} />
        <Field
          name="scopes"
          label="Scopes"
          isOptional
          hint="Separated by commas. Empty: those of the provider."
        />
        <Field
          name="audiences"
          label="Other client IDs"
          isOptional
          hint="Those of apps on phones, separated by commas."
        />
        <Check name="linkByEmail" label="A first login links the account with its address" isChecked />
        <Check name="trustEmail" label="Each address that the provider has verified proves its mailbox" />
      </details>
    </>
  )
}

/** Returns the body of a form. An empty field is the default. */
function bodyOf({ scopes = '', audiences = '', linkByEmail, trustEmail, ...texts }: Values) {
  const {
    name = '',
    clientId = '',
    ...given
  } = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))
  return {
    ...given,
    name,
    clientId,
    scopes: valueFrom(scopes, 'list') as string[],
    audiences: valueFrom(audiences, 'list') as string[],
    linkByEmail: linkByEmail !== undefined,
    trustEmail: trustEmail !== undefined,
  }
}
