import { call } from '../api.js'
import { useConsole } from '../context.js'
import { pathTo } from '../places.js'
import { Loaded, useLoad } from './load.js'
import { Phrase } from './phrase.js'
import { Name, Time } from './text.js'

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
                  <Time at={each.at} /> <Name of={each.operatorName ?? each.operatorEmail} />{' '}
                  <Phrase of={each} />
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
