import { call } from '../api.js'
import { useConsole } from '../context.js'
import { Loaded, type Loading, useLoad } from '../parts/load.js'
import { Heading } from '../parts/text.js'
import { UserActions } from './user/actions.js'
import { UserDanger } from './user/danger.js'
import { UserFacts } from './user/facts.js'
import { Factors, Identities, Memberships, Sessions } from './user/lists.js'
import type { ManagedUser } from './user/managed-user.js'

/** A user, and what operators do for one. */
export function User() {
  const { at, place } = useConsole()
  const user = useLoad(() => call('getUser', { ...at, userId: place.id }), [])
  return (
    <>
      {/* The address is not in the title, which browsers keep in their history. */}
      <Heading title={`User of ${at.databaseName}`}>{user.data && <bdi>{user.data.email}</bdi>}</Heading>
      <Loaded of={user}>{(data) => <Parts user={data} loading={user} />}</Loaded>
    </>
  )
}

function Parts({ user, loading }: { user: ManagedUser; loading: Loading<ManagedUser> }) {
  const { at, may } = useConsole()
  const of = { ...at, userId: user.id }
  const sessions = useLoad(() => call('listUserSessions', { ...of, query: { limit: '10' } }), [])
  const factors = useLoad(() => call('listUserFactors', of), [])
  const identities = useLoad(() => call('listUserIdentities', of), [])
  const reload = async () => {
    await Promise.all([loading.reload(), sessions.reload(), factors.reload(), identities.reload()])
  }
  const factorCount = factors.data?.factors.length ?? 0
  return (
    <>
      <p>
        {[
          user.disabled ? 'disabled' : 'active',
          user.emailVerified ? 'verified' : 'not verified',
          factorCount > 0 ? 'second factor on' : 'no second factor',
          user.throttled && 'throttled',
        ]
          .filter(Boolean)
          .join(', ')}
      </p>
      <UserActions user={user} etag={loading.etag} reload={reload} />
      <div class="cards">
        <UserFacts user={user} />
        <Memberships user={user} reload={reload} />
        <Loaded of={sessions}>{(data) => <Sessions {...data} total={user.sessions} />}</Loaded>
        <Loaded of={factors}>{(data) => <Factors {...data} />}</Loaded>
        <Loaded of={identities}>{(data) => <Identities {...data} user={user} reload={reload} />}</Loaded>
      </div>
      {may('removeUser') && (
        <UserDanger user={user} etag={loading.etag} factors={factorCount} reload={reload} />
      )}
    </>
  )
}
