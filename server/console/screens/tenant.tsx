import { useState } from 'preact/hooks'
import { call, type DataOf } from '../api.js'
import { useConsole } from '../context.js'
import { go } from '../navigation.js'
import { Danger } from '../parts/dialog.js'
import { Edit, type EditedField } from '../parts/edit.js'
import { late } from '../parts/late.js'
import { Loaded, useLoad } from '../parts/load.js'
import { Recorded, useRecorded } from '../parts/recorded.js'
import { announce } from '../parts/status.js'
import { count, Fact, Heading, Name, Time } from '../parts/text.js'
import { pathTo } from '../places.js'
import { Invitations } from './tenant/invitations.js'
import { Members } from './tenant/members.js'

const fields: readonly EditedField[] = [
  { name: 'name', label: 'Name', kind: 'text' },
  { name: 'seats', label: 'Seats', kind: 'number', hint: 'Empty: no limit.' },
  { name: 'externalId', label: 'External ID', kind: 'text' },
  { name: 'metadata', label: 'Metadata', kind: 'json', hint: 'A JSON object that members see.' },
  {
    name: 'privateMetadata',
    label: 'Private metadata',
    kind: 'json',
    hint: 'A JSON object that members do not see.',
  },
]

/** It has more than the rest of the screen, and most databases do not use it. */
const { Late: SingleSignOn } = late(() => import('./sso/single-sign-on.js'))

/** A tenant, its members, its invitations and its single sign-on. */
export function Tenant() {
  const { at, place, may } = useConsole()
  const of = { ...at, tenantId: place.id }
  const [isEditing, setEditing] = useState(false)
  const loading = useLoad(() => call('getTenant', of), [])
  const recorded = useRecorded(place.id)
  return (
    <>
      <Heading title="Tenant">{loading.data && <bdi>{loading.data.name}</bdi>}</Heading>
      <Loaded of={loading}>
        {(tenant) => (
          <>
            {may('changeTenant') && (
              <div class="row">
                <button type="button" onClick={() => setEditing(true)}>
                  Change
                </button>
              </div>
            )}
            <Facts tenant={tenant} />
            <Members tenantId={tenant.id} />
            <Invitations tenantId={tenant.id} />
            <SingleSignOn tenantId={tenant.id} onChange={recorded.reload} />
            <Recorded of={recorded} target={tenant.id} />
            {may('removeTenant') && (
              <section class="danger-zone" aria-labelledby="danger">
                <h2 id="danger">Danger zone</h2>
                <Danger
                  action="Delete the tenant"
                  typed={tenant.name}
                  consequences={[
                    'Its memberships and invitations are deleted. Users remain.',
                    'Nothing brings it back but a backup of the store.',
                  ]}
                  run={() => call('removeTenant', of)}
                  onDone={() => {
                    announce('The tenant is deleted.')
                    go(pathTo(at.workspaceSlug, at.databaseName, 'tenants'))
                  }}
                />
              </section>
            )}
            {isEditing && (
              <Edit
                title="Change the tenant"
                fields={fields}
                current={tenant}
                etag={loading.etag}
                save={(body, ifMatch) => call('changeTenant', { ...of, body, ifMatch })}
                read={() => call('getTenant', of)}
                onSaved={() => {
                  announce('The tenant is changed.')
                  loading.reload()
                  recorded.reload()
                }}
                onClose={() => setEditing(false)}
              />
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

function Facts({ tenant }: { tenant: DataOf<'getTenant'> }) {
  const { may } = useConsole()
  const { id, externalId, seats, createdAt, metadata, privateMetadata } = tenant
  return (
    <dl>
      <Fact name="ID">
        <code>{id}</code>
      </Fact>
      <Fact name="Seats">{seats === null ? 'no limit' : count(seats)}</Fact>
      <Fact name="External ID">
        <Name of={externalId} />
      </Fact>
      <Fact name="Created">
        <Time at={createdAt} />
      </Fact>
      {metadata && (
        <Fact name="Metadata">
          <pre>{JSON.stringify(metadata, null, 2)}</pre>
        </Fact>
      )}
      {privateMetadata && may('changeTenant') && (
        <Fact name="Private metadata">
          <pre>{JSON.stringify(privateMetadata, null, 2)}</pre>
        </Fact>
      )}
    </dl>
  )
}
