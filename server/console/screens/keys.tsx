import { call, type DataOf } from '../api.js'
import { useConsole } from '../context.js'
import { Danger } from '../parts/dialog.js'
import { Loaded, useLoad } from '../parts/load.js'
import { announce } from '../parts/status.js'
import { Table } from '../parts/table.js'
import { Empty, Heading, Time } from '../parts/text.js'
import { ApiKeys } from './keys/api-keys.js'
import { Rotate } from './keys/rotate.js'

type SigningKey = DataOf<'listKeys'>['keys'][number]

/** The signing keys and the API keys of a database. */
export function Keys() {
  const { at, may } = useConsole()
  const loading = useLoad(() => call('listKeys', at), [])
  return (
    <>
      <Heading title="Keys" />
      <ApiKeys />
      <section>
        <div class="row spread">
          <h2>Signing keys</h2>
          {may('rotateKeys') && <Rotate onDone={loading.reload} />}
        </div>
        <Loaded of={loading}>
          {({ keys }) => (
            <Table
              caption="Signing keys, the newest first"
              rows={keys}
              keyOf={({ kid }) => kid}
              columns={[
                { name: 'Key ID', cell: ({ kid }) => <code>{kid}</code> },
                { name: 'Algorithm', cell: ({ algorithm }) => algorithm },
                { name: 'State', isKept: true, cell: ({ state }) => state },
                { name: 'Signs from', cell: ({ activatesAt }) => <Time at={activatesAt} /> },
                { name: 'Verifies until', cell: ({ retiresAt }) => <Time at={retiresAt} /> },
                ...(may('retireKey')
                  ? [
                      {
                        name: '',
                        cell: ({ kid, state }: SigningKey) =>
                          state !== 'retired' && (
                            <Danger
                              action="Retire"
                              of={kid}
                              consequences={[
                                'For a key that others may have. All tokens of this key are rejected within 5 seconds.',
                                'Sessions that were last refreshed while the key signed end: their users log in again.',
                                'Codes and links in mails of that time stop working, also invitations and the undo of a changed address. Send pending invitations again.',
                              ]}
                              run={() => call('retireKey', { ...at, kid })}
                              onDone={() => {
                                announce('The key is retired.')
                                loading.reload()
                              }}
                            />
                          ),
                      },
                    ]
                  : []),
              ]}
              empty={<Empty>The first login creates a key.</Empty>}
            />
          )}
        </Loaded>
      </section>
    </>
  )
}
