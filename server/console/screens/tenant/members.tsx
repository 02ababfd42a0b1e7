import { useState } from 'preact/hooks'
import { call } from '../../api.js'
import { useConsole } from '../../context.js'
import { FormDialog } from '../../parts/dialog.js'
import { Failure } from '../../parts/failure.js'
import { Field } from '../../parts/form.js'
import { Loaded, useLoad, useTask } from '../../parts/load.js'
import { RoleField } from '../../parts/role-field.js'
import { announce } from '../../parts/status.js'
import { type Column, Pager, rangeOf, Table, usePages } from '../../parts/table.js'
import { Empty, Name, Time } from '../../parts/text.js'
import { pathTo } from '../../places.js'
import { invalid } from '../../problems.js'

interface Change {
  userId: string
  role: string
}

/** Returns the ID of the user with an address or ID, or a problem. */
async function findUser(at: { workspaceSlug: string; databaseName: string }, text: string) {
  const query = text.includes('@') ? { emailPrefix: text } : { ids: text }
  const { data, error } = await call('listUsers', { ...at, query })
  if (error && error.code !== 'validation_failed') return { error }
  const user = data?.users.find(({ id, email }) => [id, email.toLowerCase()].includes(text.toLowerCase()))
  return user ? { id: user.id } : { error: invalid('user', 'No user has this address or ID.') }
}

/** The members of a tenant. */
export function Members({ tenantId }: { tenantId: string }) {
  const { at, may } = useConsole()
  const [change, setChange] = useState<Change>()
  const pages = usePages()
  const { after } = pages
  const task = useTask()
  const loading = useLoad(() => call('listMembers', { ...at, tenantId, query: { after } }), [after])
  const remove = (userId: string) =>
    task
      .run(() => call('removeMember', { ...at, tenantId, userId }), 'The user is no longer a member.')
      .then(loading.reload)
  type Member = NonNullable<typeof loading.data>['members'][number]
  const columns: Column<Member>[] = [
    {
      name: 'Address',
      cell: ({ id, email }) => (
        <a href={pathTo(at.workspaceSlug, at.databaseName, 'users', id)}>
          <bdi>{email}</bdi>
        </a>
      ),
    },
    { name: 'Role', isKept: true, cell: ({ role }) => <Name of={role} /> },
    { name: 'Joined', cell: ({ joinedAt }) => <Time at={joinedAt} /> },
    {
      name: '',
      cell: ({ id, role, email }) => (
        <div class="row">
          <button
            type="button"
            aria-label={`Change the role of ${email}`}
            onClick={() => setChange({ userId: id, role })}
          >
            Role
          </button>
          <button
            type="button"
            aria-label={`Remove ${email}`}
            disabled={task.isBusy}
            onClick={() => remove(id)}
          >
            Remove
          </button>
        </div>
      ),
    },
  ]
  return (
    <section>
      <div class="row spread">
        <h2>Members</h2>
        {may('putMember') && (
          <button type="button" onClick={() => setChange({ userId: '', role: 'member' })}>
            Add a member
          </button>
        )}
      </div>
      <Failure problem={task.problem} />
      <Loaded of={loading}>
        {({ members, next }) => (
          <>
            <Table
              caption={`${rangeOf({ one: 'member', rows: members.length, pages, next })}, by ID`}
              rows={members}
              keyOf={({ id }) => id}
              columns={may('putMember') ? columns : columns.slice(0, -1)}
              empty={
                <Empty
                  command={
                    may('putMember')
                      ? `tenant add-user ${at.workspaceSlug}/${at.databaseName} ${tenantId} ada@example.com`
                      : undefined
                  }
                >
                  The tenant has no members. {may('putMember') && 'Add a user.'}
                </Empty>
              }
            />
            <Pager pages={pages} next={next} rows={members.length} />
          </>
        )}
      </Loaded>
      {change && (
        <FormDialog
          title={change.userId ? 'Change the role' : 'Add a member'}
          onClose={() => setChange(undefined)}
          submit="Save"
          send={async ({ user = '', role = '' }) => {
            const found = change.userId ? { id: change.userId } : await findUser(at, user.trim())
            if (found.error) return found.error
            const { error } = await call('putMember', {
              ...at,
              tenantId,
              userId: found.id,
              body: { role },
            })
            if (error) return error
            setChange(undefined)
            announce('The role is saved.')
            await loading.reload()
            return undefined
          }}
        >
          {!change.userId && <Field name="user" label="Address or ID of the user" />}
          <RoleField value={change.role} />
        </FormDialog>
      )}
    </section>
  )
}
