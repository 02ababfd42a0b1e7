import { useConsole } from '../../context.js'
import { Fact, Name, Time } from '../../parts/text.js'
import type { ManagedUser } from './managed-user.js'

/** The profile of a user. Private metadata are for roles that may change them. */
export function UserFacts({ user }: { user: ManagedUser }) {
  const { may } = useConsole()
  return (
    <section>
      <h2>Profile</h2>
      <dl>
        <Fact name="ID">
          <code>{user.id}</code>
        </Fact>
        <Fact name="Name">
          <Name of={user.preferredName} />
        </Fact>
        <Fact name="External ID">
          <Name of={user.externalId} />
        </Fact>
        <Fact name="Language">
          <Name of={user.locale} />
        </Fact>
        <Fact name="Signed up">
          <Time at={user.createdAt} />
        </Fact>
        <Fact name="Last login">{user.lastLoginOn ?? '–'}</Fact>
        <Fact name="Password">{user.hasPassword ? 'yes' : 'none'}</Fact>
        <Json name="Metadata" value={user.metadata} />
        {may('changeUser') && <Json name="Private metadata" value={user.privateMetadata} />}
      </dl>
    </section>
  )
}

const Json = ({ name, value }: { name: string; value: unknown }) =>
  value ? (
    <Fact name={name}>
      <pre>
        <bdi>{JSON.stringify(value, null, 2)}</bdi>
      </pre>
    </Fact>
  ) : null
