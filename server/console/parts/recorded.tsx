import { call, type DataOf } from '../api.js'
import { useConsole } from '../context.js'
import { pathTo } from '../places.js'
import { Loaded, useLoad } from './load.js'
import { Name, Time } from './text.js'

type Action = DataOf<'listActions'>['actions'][number]

/** What operators have done to a user or tenant. */
const phrases: Record<string, string> = {
  addUser: 'added the user',
  changeUser: 'changed the user',
  removeUser: 'deleted the user',
  endUserSessions: 'logged the user out everywhere',
  createUserCode: 'mailed a link',
  unlockUser: 'unlocked the user',
  removeUserIdentity: 'removed an identity',
  removeUserFactors: 'removed the second factors',
  putMember: 'gave the user a role in a tenant',
  removeMember: 'removed the user from a tenant',
  addTenant: 'added the tenant',
  changeTenant: 'changed the tenant',
  removeTenant: 'deleted the tenant',
  inviteMember: 'invited an address',
  revokeInvitation: 'revoked an invitation',
}

const phrasesOfFields: Record<string, string> = {
  'disabled: true': 'disabled the user',
  'disabled: false': 'enabled the user',
  'emailVerified: true': 'marked the address as verified',
}

/** Returns what an operator has done in words, or the name of the operation. */
const phraseOf = ({ action, fields }: Pick<Action, 'action' | 'fields'>) =>
  (action === 'changeUser' && phrasesOfFields[fields ?? '']) || phrases[action] || <code>{action}</code>

/** Loads the last actions on a user or tenant. */
export function useRecorded(target: string) {
  const { at } = useConsole()
  return useLoad(() => call('listDatabaseActions', { ...at, query: { target, limit: '10' } }), [target])
}

/** The last actions on a user or tenant. */
export function Recorded({ of, target }: { of: ReturnType<typeof useRecorded>; target: string }) {
  const { at } = useConsole()
  return (
    <section>
      <h2>Recorded actions</h2>
      <Loaded of={of}>
        {({ actions, next }) => (
          <>
            {actions.length === 0 && <p class="soft">No operator has changed anything.</p>}
            <ul>
              {actions.map((each) => (
                <li key={each.id}>
                  <Time at={each.at} /> <Name of={each.operatorName ?? each.operatorEmail} /> {phraseOf(each)}
                  {each.outcome !== 'done' && `: ${each.outcome ?? 'outcome unknown'}`}
                </li>
              ))}
            </ul>
            {next && <a href={pathTo(at.workspaceSlug, at.databaseName, 'actions', target)}>All actions</a>}
          </>
        )}
      </Loaded>
    </section>
  )
}
