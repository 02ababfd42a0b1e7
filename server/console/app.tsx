import type { Client } from '@usher/sdk'
import { useEffect, useState } from 'preact/hooks'
import { call, type DataOf } from './api.js'
import { ConsoleContext, type Operator } from './context.js'
import { forgetPasswordSet, usePath, wantFocus } from './navigation.js'
import { Failure } from './parts/failure.js'
import { Frame } from './parts/frame.js'
import { Lazy } from './parts/lazy.js'
import { Status } from './parts/status.js'
import { StepUp } from './parts/step-up.js'
import { missingPlace, type Place, placeOf } from './places.js'
import type { Problem } from './problems.js'
import { createConsoleClient, refreshProblem } from './session.js'

type Info = DataOf<'getConsole'>

/** What is known of the page: where operators log in, and who is logged in. */
interface Known {
  info: Info
  client: Client
}

/** The console: a login, and then the screen of the path. */
export function App() {
  const [known, setKnown] = useState<Known>()
  const [problem, setProblem] = useState<Problem>()
  async function load() {
    const { data, error } = await call('getConsole', {})
    if (data) setKnown({ info: data, client: createConsoleClient(data) })
    else setProblem(error)
  }
  useEffect(() => {
    load()
  }, [])
  if (known) return <Entrance {...known} />
  return problem ? (
    <main>
      <h1>Usher</h1>
      <Failure problem={problem}>
        <button type="button" onClick={load}>
          Try again
        </button>
      </Failure>
    </main>
  ) : null
}

/** Screens of operators who are not logged in. */
const isOutside = ({ screen }: Place) => screen === 'setup' || screen === 'link'

function Entrance({ info, client }: Known) {
  const path = usePath()
  const [missing, setMissing] = useState<string>()
  const place = path === missing ? missingPlace : placeOf(path)
  const { operator, problem, retry } = useOperator(client)
  const showMissing = () => {
    wantFocus()
    setMissing(path)
  }

  if (isOutside(place)) return <Lazy name={place.screen as 'setup' | 'link'} given={{ info, client }} />
  if (problem)
    return (
      <main>
        <h1>Usher</h1>
        <Failure problem={problem}>
          <button type="button" onClick={retry}>
            Try again
          </button>{' '}
          <button type="button" onClick={client.signOut}>
            Log out
          </button>
        </Failure>
      </main>
    )
  if (operator === undefined) return null
  if (operator === null) return <Lazy name="login" given={{ info, client }} />
  return (
    <ConsoleContext.Provider value={{ info, client, operator, place, showMissing }}>
      <Frame>
        <Lazy
          name={place.screen}
          key={[place.screen, place.workspaceSlug, place.databaseName, place.id].join('/')}
        />
      </Frame>
      <Status />
      <StepUp client={client} />
    </ConsoleContext.Provider>
  )
}

/** A session that could not be refreshed has not ended. */
const withoutToken = ({ state }: Client) =>
  state === 'unknown' ? { data: undefined, error: refreshProblem } : { data: null, error: undefined }

/** Returns the operator of the session: undefined until it is known, null if there is none. */
function useOperator(client: Client) {
  const [operator, setOperator] = useState<Operator | null>()
  const [problem, setProblem] = useState<Problem>()
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    let isLeft = false
    let isShown = false
    async function load() {
      const token = await client.getToken()
      const { data, error } = token ? await call('getOperator', {}) : withoutToken(client)
      if (isLeft) return
      // That of a password that was just set. The login demands a second factor.
      const isOfOneFactor = error?.code === 'token_invalid'
      if (isOfOneFactor) await client.signOut()
      isShown = !!data
      if (isShown) forgetPasswordSet()
      setOperator(isOfOneFactor ? null : data)
      setProblem(isOfOneFactor ? undefined : error)
    }
    load()
    // The login of this page ends with an event, after recovery codes. That of another tab has left a session to refresh.
    const end = client.subscribe(() => {
      if (isShown ? client.state === 'signedOut' : client.state === 'unknown') load()
    })
    addEventListener('usher-signed-in', load)
    return () => {
      isLeft = true
      end()
      removeEventListener('usher-signed-in', load)
    }
  }, [client, attempt])
  return { operator, problem, retry: () => setAttempt(attempt + 1) }
}
