import { useState } from 'preact/hooks'
import { call, type DataOf } from '../../api.js'
import { useConsole } from '../../context.js'
import { FormDialog } from '../../parts/dialog.js'
import { Failure } from '../../parts/failure.js'
import { Field } from '../../parts/form.js'
import { Loaded, useLoad, useTask } from '../../parts/load.js'
import { RoleField } from '../../parts/role-field.js'
import { announce } from '../../parts/status.js'
import { type Column, Pager, rangeOf, Table, usePages } from '../../parts/table.js'
import { Empty, Heading2, Name, Time } from '../../parts/text.js'

type Invitation = DataOf<'listInvitations'>['invitations'][number]

/** The invitations of a tenant that are not accepted yet. Their codes are only in mails. */
export function Invitations({ tenantId }: { tenantId: string }) {
  const { at, may } = useConsole()
  const [isInviting, setInviting] = useState(false)
  const pages = usePages()
  const { after } = pages
  const task = useTask()
  const loading = useLoad(() => call('listInvitations', { ...at, tenantId, query: { after } }), [after])
  const sendAgain = ({ email, role }: Invitation) =>
    task
      .run(
        () => call('inviteMember', { ...at, tenantId, body: { email, role } }),
        'Another mail is on its way. The code of the former one is no longer valid.',
      )
      .then(loading.reload)
  const revoke = (invitationId: string) =>
    task
      .run(() => call('revokeInvitation', { ...at, tenantId, invitationId }), 'The invitation is revoked.')
      .then(loading.reload)
  const columns: Column<Invitation>[] = [
    { name: 'Address', cell: ({ email }) => <bdi>{email}</bdi> },
    { name: 'Role', isKept: true, cell: ({ role }) => <Name of={role} /> },
    { name: 'Invited', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { name: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      name: '',
      cell: (invitation) => (
        <div class="row">
          <button
            type="button"
            aria-label={`Send again to ${invitation.email}`}
            disabled={task.isBusy}
            onClick={() => sendAgain(invitation)}
          >
            Send again
          </button>
          <button
            type="button"
            aria-label={`Revoke the invitation of ${invitation.email}`}
            disabled={task.isBusy}
            onClick={() => revoke(invitation.id)}
          >
            Revoke
          </button>
        </div>
      ),
    },
  ]
  return (
    <section>
      <Heading2 title="Invitations">
        {may('inviteMember') && (
          <button type="button" onClick={() => setInviting(true)}>
            Invite
          </button>
        )}
      </Heading2>
      <Failure problem={task.problem} />
      <Loaded of={loading}>
        {({ invitations, next }) => (
          <>
            <Table
              caption={`${rangeOf({ one: 'invitation', rows: invitations.length, pages, next })} that ${invitations.length === 1 ? 'is' : 'are'} not accepted yet`}
              rows={invitations}
              keyOf={({ id }) => id}
              columns={may('inviteMember') ? columns : columns.slice(0, -1)}
              empty={
                <Empty
                  command={
                    may('inviteMember')
                      ? `tenant invite ${at.workspaceSlug}/${at.databaseName} ${tenantId} ada@example.com`
                      : undefined
                  }
                >
                  Nobody is invited. Invite an address: its owner becomes a member, with or without an
                  account.
                </Empty>
              }
            />
            <Pager pages={pages} next={next} rows={invitations.length} />
          </>
        )}
      </Loaded>
      {isInviting && (
        <FormDialog
          title="Invite an address"
          onClose={() => setInviting(false)}
          submit="Invite"
          send={async ({ email = '', role = '' }) => {
            const { error } = await call('inviteMember', { ...at, tenantId, body: { email, role } })
            if (error) return error
            setInviting(false)
            announce('The invitation is on its way.')
            await loading.reload()
            return undefined
          }}
        >
          <Field name="email" label="Address" type="email" />
          <RoleField />
        </FormDialog>
      )}
    </section>
  )
}
