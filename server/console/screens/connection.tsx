import { useState } from 'preact/hooks'
import { call, type DataOf } from '../api.js'
import { useConsole } from '../context.js'
import { go } from '../navigation.js'
import { Copy } from '../parts/copy.js'
import { Danger } from '../parts/dialog.js'
import { Failure } from '../parts/failure.js'
import { Loaded, useLoad, useTask } from '../parts/load.js'
import { announce } from '../parts/status.js'
import { Fact, Heading, Name, Time } from '../parts/text.js'
import { pathTo } from '../places.js'
import { ChangeConnection, ReplaceSecret } from './connections/change-connection.js'

type Details = DataOf<'getConnection'>

/** A connection of a database to a provider. */
export function Connection() {
  const { at, place, may } = useConsole()
  const of = { ...at, connection: place.id }
  const loading = useLoad(() => call('getConnection', of), [])
  return (
    <>
      <Heading title="Connection">{loading.data && <bdi>{loading.data.name}</bdi>}</Heading>
      <Loaded of={loading}>
        {(connection) => (
          <>
            <Actions connection={connection} etag={loading.etag} reload={loading.reload} />
            <Facts connection={connection} />
            {may('removeConnection') && (
              <section class="danger-zone" aria-labelledby="danger">
                <h2 id="danger">Danger zone</h2>
                <Danger
                  action="Remove the connection"
                  typed={connection.name}
                  consequences={[
                    'Users cannot log in with it. Those without another way to log in are locked out.',
                    'The accounts that users have linked stay, and count again if it is added again.',
                    'Its secret is deleted.',
                  ]}
                  run={() => call('removeConnection', of)}
                  onDone={() => {
                    announce(`${connection.name} is removed.`)
                    go(pathTo(at.workspaceSlug, at.databaseName, 'connections'))
                  }}
                />
              </section>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

interface Props {
  connection: Details
  etag: string | undefined
  reload(): Promise<void>
}

function Actions({ connection, etag, reload }: Props) {
  const { at, may } = useConsole()
  const [dialog, setDialog] = useState<'change' | 'secret'>()
  const task = useTask()
  const { name, isEnabled } = connection
  const of = { ...at, connection: name }
  const close = () => setDialog(undefined)
  return (
    <>
      <fieldset class="row" aria-label="Actions">
        {may('changeConnection') && (
          <>
            <button type="button" onClick={() => setDialog('change')}>
              Change
            </button>
            <button type="button" onClick={() => setDialog('secret')}>
              Replace the secret
            </button>
            <button
              type="button"
              disabled={task.isBusy}
              onClick={() =>
                task
                  .run(
                    () => call('changeConnection', { ...of, body: { isEnabled: !isEnabled } }),
                    isEnabled ? `${name} is disabled.` : `${name} is enabled.`,
                  )
                  .then(reload)
              }
            >
              {isEnabled ? 'Disable' : 'Enable'}
            </button>
          </>
        )}
        {may('checkConnection') && (
          <button
            type="button"
            disabled={task.isBusy}
            onClick={() => task.run(() => call('checkConnection', of), `${name} knows the client.`)}
          >
            Check
          </button>
        )}
      </fieldset>
      <Failure problem={task.problem} />
      {dialog === 'change' && (
        <ChangeConnection connection={connection} etag={etag} reload={reload} close={close} />
      )}
      {dialog === 'secret' && <ReplaceSecret connection={connection} reload={reload} close={close} />}
    </>
  )
}

const list = (texts: readonly string[], none: string) => (texts.length > 0 ? texts.join(', ') : none)

function Facts({ connection }: { connection: Details }) {
  const { preset, issuer, clientId, callbackUrl, title, teamId, keyId } = connection
  return (
    <dl>
      <Fact name="Callback URL">
        <code>{callbackUrl}</code> <Copy value={callbackUrl} of="the callback URL" />
      </Fact>
      <Fact name="State">{connection.isEnabled ? 'enabled' : 'disabled'}</Fact>
      <Fact name="Preset">{preset}</Fact>
      <Fact name="Issuer">
        <bdi>{issuer}</bdi>
      </Fact>
      <Fact name="Client ID">
        <Name of={clientId} />
      </Fact>
      <Fact name="Secret">{connection.hasSecret ? 'stored, never shown' : 'none'}</Fact>
      {teamId !== null && (
        <>
          <Fact name="Team ID">{teamId}</Fact>
          <Fact name="Key ID">
            <Name of={keyId} />
          </Fact>
        </>
      )}
      <Fact name="Title">{title === null ? 'that of the preset' : <Name of={title} />}</Fact>
      <Fact name="Scopes">
        <bdi>{list(connection.scopes, 'those of the preset')}</bdi>
      </Fact>
      <Fact name="Other client IDs">
        <bdi>{list(connection.audiences, 'none')}</bdi>
      </Fact>
      <Fact name="Link by address">{connection.linkByEmail ? 'on' : 'off'}</Fact>
      <Fact name="Trust addresses">{connection.trustEmail ? 'on' : 'off'}</Fact>
      <Fact name="Added">
        <Time at={connection.createdAt} />
      </Fact>
    </dl>
  )
}
