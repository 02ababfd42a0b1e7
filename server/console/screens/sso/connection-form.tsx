import { useState } from 'preact/hooks'
import { call, type DataOf, type Given, type Task } from '../../api.js'
import { useConsole } from '../../context.js'
import { Copy } from '../../parts/copy.js'
import { FormDialog } from '../../parts/dialog.js'
import { Check, Field, type Values } from '../../parts/form.js'
import { announce } from '../../parts/status.js'
import { valueFrom } from '../../parts/versions.js'

type Connection = DataOf<'getSso'>['connections'][number]
type Preset = Connection['preset']
type AddBody = NonNullable<Given<'addSsoConnection'>['body']>

/** What people call the kinds of providers. */
export const presetTitles: Readonly<Record<Preset, string>> = {
  entra: 'Microsoft Entra',
  okta: 'Okta',
  google_workspace: 'Google Workspace',
  keycloak: 'Keycloak',
  auth0: 'Auth0',
  oidc: 'OpenID Connect',
}

interface Props {
  tenantId: string
  reload(): Promise<void>
  onClose(): void
}

/** A dialog that connects a provider. Its kind decides which fields it has. */
export function AddConnection({
  tenantId,
  callbackUrl,
  reload,
  onClose,
}: Props & { callbackUrl: DataOf<'getSso'>['callbackUrl'] }) {
  const { at } = useConsole()
  const [preset, setPreset] = useState('')
  // Chosen here, so that the callback URL is known before the provider has a client.
  const [id] = useState(() => crypto.randomUUID())
  const url = callbackUrl.replace('{id}', id)
  // So that another attempt, after the provider has rejected the client, needs no second confirmation.
  const [task] = useState<Task>({})
  return (
    <FormDialog
      title="Connect a provider"
      onClose={onClose}
      submit="Connect"
      send={async (values) => {
        const { data, error } = await call('addSsoConnection', {
          ...at,
          tenantId,
          body: { id, ...bodyOf(values) },
          task,
        })
        if (error) return error
        onClose()
        announce(`${data.title} is connected. Log in with it once.`)
        await reload()
        return undefined
      }}
    >
      <p>
        Register this callback URL at the provider: <code>{url}</code>{' '}
        <Copy value={url} of="the callback URL" />
      </p>
      <Field
        name="preset"
        label="Provider"
        options={['', ...Object.keys(presetTitles)]}
        labels={{ '': 'Choose a provider', ...presetTitles }}
        onInput={setPreset}
      />
      {preset && <Client key={preset} preset={preset} />}
    </FormDialog>
  )
}

/** The fields of a client. */
const Client = ({ preset, connection }: { preset: string; connection?: Connection }) => (
  <>
    {preset === 'entra' && !connection && (
      <Field name="tid" label="Directory ID" hint="The ID of the tenant in Entra, a UUID." maxLength={36} />
    )}
    {preset === 'google_workspace' && (
      <Field
        name="hd"
        label="Domain"
        value={connection?.hd ?? ''}
        hint="The only one whose accounts may log in, such as acme.example."
      />
    )}
    {preset !== 'google_workspace' && !(preset === 'entra' && !connection) && (
      <Field
        name="issuer"
        label="Issuer"
        value={connection?.issuer}
        hint="Such as https://acme.okta.com. Another one ends the logins of the former one."
      />
    )}
    <Field name="clientId" label="Client ID" value={connection?.clientId} />
    <Field
      name="secret"
      label="Client secret"
      hint={connection ? 'Empty: the stored one.' : 'Nothing shows it again. Empty: the client has none.'}
      type="password"
      autocomplete="new-password"
      isOptional
    />
    <Field
      name="title"
      label="Title"
      value={connection?.title}
      isOptional
      hint="Text of the button. Empty: the name of the provider."
    />
    <Field
      name="scopes"
      label="Scopes"
      value={connection?.scopes.join(', ')}
      isOptional
      hint="Separated by commas. Empty: those of the provider."
    />
  </>
)

/** Returns the body of a form. An empty field is the default. */
function bodyOf({ scopes = '', ...texts }: Values) {
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''))
  return { ...given, scopes: valueFrom(scopes, 'list') } as AddBody
}

/** A dialog that changes a connection. Without a new secret, the stored one stays. */
export function ChangeConnection({
  tenantId,
  connection,
  reload,
  onClose,
}: Props & { connection: Connection }) {
  const { at } = useConsole()
  const [task] = useState<Task>({})
  const { id: connectionId, preset } = connection
  return (
    <FormDialog
      title="Change the connection"
      onClose={onClose}
      submit="Save"
      send={async (values) => {
        const body = changesOf(connection, values)
        if (Object.keys(body).length > 0) {
          const { error } = await call('changeSsoConnection', { ...at, tenantId, connectionId, body, task })
          if (error) return error
          announce('The connection is changed. Servers apply it within 5 seconds.')
        }
        onClose()
        await reload()
        return undefined
      }}
    >
      <Client preset={preset} connection={connection} />
      <Check name="isEnabled" label="Members can log in with it" isChecked={connection.isEnabled} />
    </FormDialog>
  )
}

/** Returns the fields that differ from the stored ones. */
function changesOf(connection: Connection, { isEnabled, ...values }: Values) {
  const { title, scopes: _, ...others } = bodyOf(values)
  const scopes = valueFrom(values.scopes ?? '', 'list') as string[]
  const wanted = { ...others, title: title ?? null, scopes, isEnabled: isEnabled !== undefined }
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(connection[name as keyof Connection]),
    ),
  )
}
