import { useState } from 'preact/hooks'
import { call, type DataOf } from '../../api.js'
import { useConsole } from '../../context.js'
import { Danger, FormDialog } from '../../parts/dialog.js'
import { Field } from '../../parts/form.js'
import { RoleField } from '../../parts/role-field.js'
import { announce } from '../../parts/status.js'
import { count, counted, Name, Time } from '../../parts/text.js'
import { pathTo } from '../../places.js'
import type { ManagedUser } from './managed-user.js'

export function Memberships({ user, reload }: { user: ManagedUser; reload(): Promise<void> }) {
  const { at, may } = useConsole()
  const [isAdding, setAdding] = useState(false)
  return (
    <section>
      <h2>Tenants</h2>
      {user.memberships.length === 0 && <p class="soft">No tenant.</p>}
      <ul>
        {user.memberships.map(({ id, name, role }) => (
          <li key={id}>
            <a href={pathTo(at.workspaceSlug, at.databaseName, 'tenants', id)}>
              <bdi>{name}</bdi>
            </a>
            , <bdi>{role}</bdi>
          </li>
        ))}
      </ul>
      {may('putMember') && (
        <button type="button" onClick={() => setAdding(true)}>
          Add to a tenant
        </button>
      )}
      {isAdding && (
        <FormDialog
          title="Add to a tenant"
          onClose={() => setAdding(false)}
          submit="Add"
          send={async ({ tenantId = '', role = '' }) => {
            const of = { ...at, userId: user.id, tenantId }
            const { error } = await call('putMember', { ...of, body: { role } })
            if (error) return error
            setAdding(false)
            announce('The user is a member of the tenant.')
            await reload()
            return undefined
          }}
        >
          <Field name="tenantId" label="ID of the tenant" />
          <RoleField />
        </FormDialog>
      )}
    </section>
  )
}

export function Sessions({ sessions, total }: DataOf<'listUserSessions'> & { total: number }) {
  return (
    <section>
      <h2>Sessions</h2>
      {sessions.length === 0 && <p class="soft">No session.</p>}
      <ul>
        {sessions.map(({ id, label, refreshedAt }) => (
          <li key={id}>
            {label ? <bdi>{label}</bdi> : 'Session'}, last used <Time at={refreshedAt} />
          </li>
        ))}
      </ul>
      {total > sessions.length && <p>And {count(total - sessions.length)} more.</p>}
    </section>
  )
}

export function Factors({ factors, recoveryCodes }: DataOf<'listUserFactors'>) {
  return (
    <section>
      <h2>Second factors</h2>
      {factors.length === 0 && <p class="soft">None.</p>}
      <ul>
        {factors.map(({ id, kind, name, lastUsedOn }) => (
          <li key={id}>
            {kind === 'passkey' ? 'Passkey' : 'Authenticator app'}
            {name && (
              <>
                {' '}
                <bdi>{name}</bdi>
              </>
            )}
            , {lastUsedOn ? `last used on ${lastUsedOn}` : 'not used yet'}
          </li>
        ))}
      </ul>
      {factors.length > 0 && <p>{counted(recoveryCodes, 'recovery code')} left.</p>}
    </section>
  )
}

export function Identities({
  identities,
  user,
  reload,
}: DataOf<'listUserIdentities'> & { user: ManagedUser; reload(): Promise<void> }) {
  const { at, may } = useConsole()
  return (
    <section>
      <h2>Identities</h2>
      {identities.length === 0 && <p class="soft">No account at a provider.</p>}
      <ul>
        {identities.map(({ id, connection, email, subject }) => (
          <li key={id}>
            {connection}: <Name of={email ?? subject} />{' '}
            {may('removeUserIdentity') && (
              <Danger
                action="Remove the identity"
                of={connection}
                consequences={[
                  `The user no longer logs in with ${connection}.`,
                  `${counted(user.sessions, 'session')} of the user end.`,
                ]}
                run={() => call('removeUserIdentity', { ...at, userId: user.id, identityId: id })}
                onDone={() => {
                  announce('The identity is removed.')
                  reload()
                }}
              />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
