import { useState } from 'preact/hooks'
import { call, type DataOf, type Result } from '../api.js'
import { useConsole } from '../context.js'
import { go } from '../navigation.js'
import { Danger } from '../parts/dialog.js'
import { Loaded, useLoad } from '../parts/load.js'
import { Plot, PlotTable } from '../parts/plot.js'
import { announce } from '../parts/status.js'
import { counted, Heading, Time } from '../parts/text.js'
import { pathTo } from '../places.js'

type Day = DataOf<'getStatistics'>['days'][number]

const plots: readonly { title: string; numberOf(day: Day): number }[] = [
  { title: 'Sign-ups', numberOf: ({ signUps }) => signUps },
  { title: 'Logins', numberOf: ({ logins }) => logins },
  { title: 'Failed logins', numberOf: ({ failures }) => failures },
]
const columns = [
  ...plots,
  { title: 'Throttled', numberOf: ({ throttled }: Day) => throttled },
  { title: 'Mails', numberOf: ({ mails }: Day) => mails },
  { title: 'Failed mails', numberOf: ({ mailsFailed }: Day) => mailsFailed },
]

/** What has happened in a database. */
export function Overview() {
  const { at, may } = useConsole()
  const { workspaceSlug, databaseName } = at
  const [days, setDays] = useState(30)
  const loading = useLoad(() => call('getStatistics', { ...at, query: { days } }), [days])
  return (
    <>
      <Heading title={`${workspaceSlug}/${databaseName}`} />
      <Loaded of={loading}>
        {({ users, countedAt, hasMore, days: shown }) => (
          <>
            {!users && shown.every(({ signUps }) => signUps === 0) && <NextSteps />}
            <div class="row spread">
              <p>
                {hasMore && 'More than '}
                {counted(users, 'user')}
                {countedAt && (
                  <span class="soft">
                    , counted <Time at={countedAt} />
                  </span>
                )}
              </p>
              <fieldset class="row" aria-label="Days">
                {[30, 90].map((each) => (
                  <button key={each} type="button" aria-pressed={days === each} onClick={() => setDays(each)}>
                    {each} days
                  </button>
                ))}
              </fieldset>
            </div>
            <div class="plots">
              {plots.map((plot) => (
                <Plot key={plot.title} {...plot} days={shown} />
              ))}
            </div>
            <PlotTable caption={`The last ${days} days`} days={shown} columns={columns} />
          </>
        )}
      </Loaded>
      {may('deleteDatabase') && <Deletion />}
    </>
  )
}

/** What to do with a database that nobody uses yet. */
function NextSteps() {
  const { at, may } = useConsole()
  const { workspaceSlug, databaseName } = at
  const path = `${location.origin}/workspaces/${workspaceSlug}/databases/${databaseName}`
  const link = (section: string, text: string) => (
    <a href={pathTo(workspaceSlug, databaseName, section)}>{text}</a>
  )
  return (
    <section class="card">
      <h2>Next steps</h2>
      <ol>
        <li>
          <p>Sign a first user up, from your app or on the command line:</p>
          <pre>
            <code>{`curl ${path}/users \\
  --json '{"email":"ada@example.com","password":"four random common words"}'`}</code>
          </pre>
        </li>
        <li>
          Set the app URL, to which links in mails lead, in the {link('settings', 'settings of the database')}
          .
        </li>
        {may('createApiKey') && <li>Create an API key for your backend: {link('keys', 'API keys')}.</li>}
        {may('importUsers') && <li>Bring users of another system: {link('import', 'import users')}.</li>}
      </ol>
    </section>
  )
}

function Deletion() {
  const { at } = useConsole()
  const name = `${at.workspaceSlug}/${at.databaseName}`

  /** Each request works for five seconds. */
  async function remove(): Promise<Result<unknown>> {
    const task = {}
    for (;;) {
      const result = await call('deleteDatabase', { ...at, task })
      if (result.error || result.data.isDone) return result
      announce('Still deleting…')
    }
  }
  return (
    <section class="danger-zone" aria-labelledby="danger">
      <h2 id="danger">Danger zone</h2>
      <Danger
        action="Delete the database"
        typed={name}
        consequences={[
          'All its users, tenants, keys, settings and undelivered mails are deleted.',
          'Its tokens are rejected. Nothing brings it back but a backup of the store.',
        ]}
        run={remove}
        onDone={() => {
          announce(`${name} is deleted.`)
          go(pathTo(at.workspaceSlug))
        }}
      />
    </section>
  )
}
