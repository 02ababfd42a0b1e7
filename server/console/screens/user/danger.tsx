import { useState } from 'preact/hooks'
import { call } from '../../api.js'
import { useConsole } from '../../context.js'
import { go } from '../../navigation.js'
import { Danger, FormDialog } from '../../parts/dialog.js'
import { Check, Field } from '../../parts/form.js'
import { announce } from '../../parts/status.js'
import { counted } from '../../parts/text.js'
import { pathTo } from '../../places.js'
import type { ManagedUser } from './managed-user.js'

interface Props {
  user: ManagedUser
  etag: string | undefined
  factors: number
  reload(): Promise<void>
}

/** Changes that take over or end an account. Each asks for the second factor of the operator. */
export function UserDanger({ user, etag, factors, reload }: Props) {
  const { at } = useConsole()
  const of = { ...at, userId: user.id }
  return (
    <section class="danger-zone" aria-labelledby="danger">
      <h2 id="danger">Danger zone</h2>
      <p>Each change asks for your passkey or code.</p>
      <div class="row">
        <ChangeAddress user={user} etag={etag} reload={reload} />
        {factors > 0 && (
          <Danger
            action="Remove all factors"
            consequences={[
              `${counted(factors, 'factor')} and all recovery codes are removed. Make sure that the user asks for it.`,
              `${counted(user.sessions, 'session')} of the user end.`,
              'The user gets a mail about it.',
            ]}
            run={() => call('removeUserFactors', of)}
            onDone={() => {
              announce('The factors are removed.')
              reload()
            }}
          />
        )}
        <Danger
          action="Delete the user"
          typed={user.email}
          consequences={[
            `${counted(user.memberships.length, 'membership')} and ${counted(user.sessions, 'session')} are deleted. Tenants remain.`,
            'Nothing brings the user back but a backup of the store.',
          ]}
          run={() => call('removeUser', of)}
          onDone={() => {
            announce('The user is deleted.')
            go(pathTo(at.workspaceSlug, at.databaseName, 'users'))
          }}
        />
      </div>
    </section>
  )
}

function ChangeAddress({ user, etag, reload }: Omit<Props, 'factors'>) {
  const { at } = useConsole()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" class="danger" onClick={() => setOpen(true)}>
        Change address
      </button>
      {isOpen && (
        <FormDialog
          title="Change address"
          onClose={() => setOpen(false)}
          submit="Change address"
          isDanger
          send={async ({ email = '', emailVerified }) => {
            const body = { email, ...(emailVerified && { emailVerified: true }) }
            const { error } = await call('changeUser', { ...at, userId: user.id, body, ifMatch: etag })
            if (error) return error
            setOpen(false)
            announce('The address is changed.')
            await reload()
            return undefined
          }}
        >
          <p>
            Whoever reads mails to the new address can take over the account. The former address gets a mail
            that undoes it for 7 days.
          </p>
          <Field name="email" label="New address" type="email" />
          <Check name="emailVerified" label="The address counts as verified" />
        </FormDialog>
      )}
    </>
  )
}
