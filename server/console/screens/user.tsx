import { call, type DataOf } from '../api.js'
import { useConsole } from '../context.js'
import { Loaded, type Loading, useLoad } from '../parts/load.js'
import { Recorded, useRecorded } from '../parts/recorded.js'
import { counted, duration, Heading } from '../parts/text.js'
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
      <Heading title="User">{user.data && <bdi>{user.data.email}</bdi>}</Heading>
      <Loaded of={user}>{(data) => <Parts user={data} loading={user} />}</Loaded>
    </>
  )
}

const waitUntil = (at: string) => duration(Math.max(1, (Date.parse(at) - Date.now()) / 1000))

/** Returns how many factors of each kind a user has. Whether logins ask for one depends on more. */
function kindsOf({ factors }: DataOf<'listUserFactors'>) {
  const passkeys = factors.filter(({ kind }) => kind === 'passkey').length
  const apps = factors.length - passkeys
  const kinds = [apps && counted(apps, 'authenticator app'), passkeys && counted(passkeys, 'passkey')]
  return kinds.filter(Boolean).join(', ') || 'no second factor'
}

function Parts({ user, loading }: { user: ManagedUser; loading: Loading<ManagedUser> }) {
  const { at, may } = useConsole()
  const of = { ...at, userId: user.id }
  const sessions = useLoad(() => call('listUserSessions', { ...of, query: { limit: '10' } }), [])
  const factors = useLoad(() => call('listUserFactors', of), [])
  const identities = useLoad(() => call('listUserIdentities', of), [])
  const recorded = useRecorded(user.id)
  const reload = async () => {
    await Promise.all([loading, sessions, factors, identities, recorded].map((each) => each.reload()))
  }
  const factorCount = factors.data?.factors.length ?? 0
  return (
    <>
      <p>
        {[
          user.disabled ? 'disabled' : 'active',
          user.emailVerified ? 'verified' : 'not verified',
          factors.data && kindsOf(factors.data),
          user.throttledUntil && `throttled: logins wait up to ${waitUntil(user.throttledUntil)}`,
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
        <Recorded of={recorded} target={user.id} />
      </div>
      {may('removeUser') && (
        <UserDanger user={user} etag={loading.etag} factors={factorCount} reload={reload} />
      )}
    </>
  )
}
