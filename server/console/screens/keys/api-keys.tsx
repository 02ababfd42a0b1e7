import { useState } from 'preact/hooks'
import { call, type DataOf } from '../../api.js'
import { useConsole } from '../../context.js'
import { Danger, FormDialog } from '../../parts/dialog.js'
import { Check, Field } from '../../parts/form.js'
import { Loaded, useLoad } from '../../parts/load.js'
import { Secret } from '../../parts/secret.js'
import { announce } from '../../parts/status.js'
import { Table } from '../../parts/table.js'
import { Empty, Heading2, Name, shortTime, Time } from '../../parts/text.js'
import { scopes } from './scopes.js'

type ApiKey = DataOf<'listApiKeys'>['apiKeys'][number]

/** The keys of backends. */
export function ApiKeys() {
  const { at, may } = useConsole()
  const [secret, setSecret] = useState<string>()
  const [dialog, setDialog] = useState<'create' | ApiKey>()
  const loading = useLoad(() => call('listApiKeys', at), [])
  const show = (key: string) => {
    setDialog(undefined)
    setSecret(key)
    loading.reload()
  }
  const actions = (key: ApiKey) => (
    <div class="row">
      {!key.rotatedAt && (
        <button type="button" aria-label={`Replace ${key.name}`} onClick={() => setDialog(key)}>
          Replace
        </button>
      )}
      <Danger
        action="Revoke"
        of={key.name}
        consequences={[`Requests of ${key.name} are rejected within 5 seconds.`]}
        run={() => call('revokeApiKey', { ...at, apiKeyId: key.id })}
        onDone={() => {
          announce('The key is revoked.')
          loading.reload()
        }}
      />
    </div>
  )
  return (
    <section>
      <Heading2 title="API keys">
        {may('createApiKey') && (
          <button type="button" class="main" onClick={() => setDialog('create')}>
            Create an API key
          </button>
        )}
      </Heading2>
      <Loaded of={loading}>
        {({ apiKeys }) => (
          <Table
            caption="API keys, the oldest first"
            rows={apiKeys}
            keyOf={({ id }) => id}
            columns={[
              { name: 'Name', cell: ({ name }) => <Name of={name} /> },
              { name: 'Ends with', cell: ({ ending }) => <code>{ending}</code> },
              { name: 'Scopes', cell: (key) => key.scopes.join(', ') },
              { name: 'Expires', isKept: true, cell: expiry },
              { name: 'Last used', cell: ({ lastUsedOn }) => lastUsedOn ?? 'never' },
              ...(may('createApiKey') ? [{ name: '', cell: actions }] : []),
            ]}
            empty={
              <Empty
                command={`api-key create ${at.workspaceSlug}/${at.databaseName} --name backend --scope users:read`}
              >
                Create a key for the backend of your product.
              </Empty>
            }
          />
        )}
      </Loaded>
      {dialog === 'create' && <CreateKey show={show} close={() => setDialog(undefined)} />}
      {typeof dialog === 'object' && (
        <ReplaceKey apiKey={dialog} show={show} close={() => setDialog(undefined)} />
      )}
      {secret && <Secret title="The new API key" value={secret} onClose={() => setSecret(undefined)} />}
    </section>
  )
}

const expiry = ({ expiresAt, rotatedAt }: ApiKey) =>
  rotatedAt ? `${shortTime(expiresAt)}, replaced` : <Time at={expiresAt} />

interface DialogProps {
  show(key: string): void
  close(): void
}

function CreateKey({ show, close: onClose }: DialogProps) {
  const { at } = useConsole()
  return (
    <FormDialog
      title="Create an API key"
      onClose={onClose}
      submit="Create"
      send={async ({ name = '', expiresInDays, ...checked }) => {
        const chosen = (Object.keys(scopes) as (keyof typeof scopes)[]).filter((scope) => checked[scope])
        const body = { name, scopes: chosen, expiresInDays: Number(expiresInDays) }
        const { data, error } = await call('createApiKey', { ...at, body })
        if (data) show(data.key)
        return error
      }}
    >
      <Field name="name" label="Name" hint="Such as the name of the service that uses it." />
      <Field
        name="expiresInDays"
        label="Days until it expires"
        type="number"
        value="365"
        min={1}
        max={3650}
      />
      <fieldset>
        <legend>Scopes</legend>
        {Object.entries(scopes).map(([scope, description]) => (
          <Check key={scope} name={scope} label={`${scope}: ${description}`} />
        ))}
      </fieldset>
    </FormDialog>
  )
}

function ReplaceKey({ apiKey, show, close: onClose }: DialogProps & { apiKey: ApiKey }) {
  const { at } = useConsole()
  return (
    <FormDialog
      title="Replace the API key"
      onClose={onClose}
      submit="Replace"
      send={async ({ overlapHours }) => {
        const body = { overlapHours: Number(overlapHours) }
        const { data, error } = await call('rotateApiKey', { ...at, apiKeyId: apiKey.id, body })
        if (data) show(data.key)
        return error
      }}
    >
      <p>
        The successor of <Name of={apiKey.name} /> has the same scopes and lifetime.
      </p>
      <Field
        name="overlapHours"
        label="Hours for which the former key still works"
        type="number"
        value="24"
        min={0}
        max={720}
      />
    </FormDialog>
  )
}
