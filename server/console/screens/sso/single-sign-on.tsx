import { call, type DataOf } from '../../api.js'
import { useConsole } from '../../context.js'
import { Loaded, useLoad } from '../../parts/load.js'
import { counted, Empty, Fact, Heading2, Time } from '../../parts/text.js'
import { Connections } from './connections.js'
import { Domains } from './domains.js'
import { People } from './people.js'
import { Settings } from './settings.js'
import { SetupLink } from './setup-link.js'

type Sso = DataOf<'getSso'>

/** What the parts of the single sign-on of a tenant get. */
export interface PartProps {
  tenantId: string
  sso: Sso
  /** Shows what is stored after a change. */
  reload(): Promise<void>
}

interface Props {
  tenantId: string
  /** Shows the actions that are recorded meanwhile. */
  onChange(): void
}

/** The single sign-on of a tenant: connections, domains, people and settings. */
export function SingleSignOn({ tenantId, onChange }: Props) {
  const { at, may } = useConsole()
  const settings = useLoad(() => call('getSettings', at), [])
  return (
    <section aria-labelledby="single-sign-on">
      <Heading2 title="Single sign-on" id="single-sign-on" />
      <Loaded of={settings}>
        {({ settings }) =>
          settings.some(({ name, value }) => name === 'singleSignOn' && value === true) ? (
            <TurnedOn tenantId={tenantId} onChange={onChange} />
          ) : (
            <Empty
              command={
                may('changeSettings')
                  ? `database set ${at.workspaceSlug}/${at.databaseName} --single-sign-on on`
                  : undefined
              }
            >
              Single sign-on is off in this database.{' '}
              {may('changeSettings') && 'Turn it on in the settings of the database.'}
            </Empty>
          )
        }
      </Loaded>
    </section>
  )
}

function TurnedOn({ tenantId, onChange }: Props) {
  const { at, may } = useConsole()
  const loading = useLoad(() => call('getSso', { ...at, tenantId }), [])
  const reload = async () => {
    onChange()
    await loading.reload()
  }
  return (
    <Loaded of={loading}>
      {(sso) => (
        <>
          <dl>
            <Fact name="State">
              <State sso={sso} />
            </Fact>
          </dl>
          {may('createSsoPortal') && <SetupLink tenantId={tenantId} onCreated={onChange} />}
          <Connections tenantId={tenantId} sso={sso} reload={reload} />
          <Domains tenantId={tenantId} sso={sso} reload={reload} />
          <People tenantId={tenantId} sso={sso} reload={reload} />
          <Settings tenantId={tenantId} sso={sso} reload={reload} />
        </>
      )}
    </Loaded>
  )
}

function State({ sso: { requiredSince, connections } }: { sso: Sso }) {
  if (requiredSince)
    return (
      <>
        required, <Time at={requiredSince} />
      </>
    )
  const enabled = connections.filter(({ isEnabled }) => isEnabled).length
  return <>{enabled > 0 ? `not required, ${counted(enabled, 'connection')}` : 'nobody can log in with it'}</>
}
