import { useState } from 'preact/hooks'
import { call } from '../../api.js'
import { useConsole } from '../../context.js'
import { Edit, type EditedField } from '../../parts/edit.js'
import { Failure } from '../../parts/failure.js'
import { useTask } from '../../parts/load.js'
import { announce } from '../../parts/status.js'
import type { ManagedUser } from './managed-user.js'

const fields: readonly EditedField[] = [
  { name: 'preferredName', label: 'Name', kind: 'text' },
  { name: 'locale', label: 'Language of mails', kind: 'text', hint: 'A BCP 47 tag, such as en-GB.' },
  { name: 'externalId', label: 'External ID', kind: 'text', hint: 'The ID in your product.' },
  { name: 'metadata', label: 'Metadata', kind: 'json', hint: 'A JSON object that the user sees.' },
  {
    name: 'privateMetadata',
    label: 'Private metadata',
    kind: 'json',
    hint: 'A JSON object that the user does not see.',
  },
]

interface Props {
  user: ManagedUser
  etag: string | undefined
  reload(): Promise<void>
}

/** What operators do for a user every day. Buttons that the role does not allow are left out. */
export function UserActions({ user, etag, reload }: Props) {
  const { at, may } = useConsole()
  const [isEditing, setEditing] = useState(false)
  const task = useTask()
  const of = { ...at, userId: user.id }
  const change = (body: { disabled: boolean } | { emailVerified: true }, done: string) =>
    task.run(() => call('changeUser', { ...of, body }), done).then(reload)
  const mail = (purpose: 'password_reset' | 'email_verification', done: string) =>
    task.run(() => call('createUserCode', { ...of, body: { purpose, deliver: 'mail' } }), done).then(reload)

  return (
    <>
      <fieldset class="row" aria-label="Actions">
        {may('changeUser') && (
          <>
            <button type="button" onClick={() => setEditing(true)}>
              Change
            </button>
            <button
              type="button"
              disabled={task.isBusy}
              onClick={() =>
                change(
                  { disabled: !user.disabled },
                  user.disabled ? 'The user is enabled.' : 'The user is disabled.',
                )
              }
            >
              {user.disabled ? 'Enable' : 'Disable'}
            </button>
            {!user.emailVerified && (
              <button
                type="button"
                disabled={task.isBusy}
                onClick={() => change({ emailVerified: true }, 'The address counts as verified.')}
              >
                Mark as verified
              </button>
            )}
          </>
        )}
        {may('endUserSessions') && (
          <button
            type="button"
            disabled={task.isBusy}
            onClick={() =>
              task.run(() => call('endUserSessions', of), 'The user is logged out everywhere.').then(reload)
            }
          >
            Log out everywhere
          </button>
        )}
        {may('createUserCode') && (
          <>
            <button
              type="button"
              disabled={task.isBusy}
              onClick={() => mail('password_reset', 'A reset link is on its way to the user.')}
            >
              Mail a reset link
            </button>
            {!user.emailVerified && (
              <button
                type="button"
                disabled={task.isBusy}
                onClick={() => mail('email_verification', 'A verification link is on its way to the user.')}
              >
                Mail a verification link
              </button>
            )}
          </>
        )}
        {may('unlockUser') && user.throttledUntil && (
          <button
            type="button"
            disabled={task.isBusy}
            onClick={() =>
              task.run(() => call('unlockUser', of), 'The user can log in immediately.').then(reload)
            }
          >
            Unlock
          </button>
        )}
      </fieldset>
      <Failure problem={task.problem} />
      {isEditing && (
        <Edit
          title="Change the user"
          fields={fields}
          current={user}
          etag={etag}
          save={(body, ifMatch) => call('changeUser', { ...of, body, ifMatch })}
          read={() => call('getUser', of)}
          onSaved={() => {
            announce('The user is changed.')
            reload()
          }}
          onClose={() => setEditing(false)}
        />
      )}
    </>
  )
}
