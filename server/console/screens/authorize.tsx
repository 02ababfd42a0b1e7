import { useEffect, useState } from 'preact/hooks'
import { call } from '../api.js'
import { useConsole } from '../context.js'
import { Cancel } from '../parts/dialog.js'
import { Form } from '../parts/form.js'
import { Rights } from '../parts/rights.js'
import { ToCopy } from '../parts/secret.js'
import { Fact, Heading, Name } from '../parts/text.js'

/** What a command line asks for. */
interface Request {
  purpose: 'login' | 'confirmation'
  challenge: string
  name: string
  state: string
  /** Where it waits for the browser. Undefined: on another machine. */
  port: string | undefined
}

/** Returns the request of a link, or undefined. Anyone can make a link. */
function requestOf(hash: string): Request | undefined {
  const given = new URLSearchParams(hash.slice(1))
  const read = (name: string, pattern: RegExp) => pattern.exec(given.get(name) ?? '')?.[0]
  const purpose = read('purpose', /^(login|confirmation)$/) as Request['purpose'] | undefined
  const challenge = read('challenge', /^[\w-]{43}$/)
  const state = read('state', /^[\w-]{1,128}$/)
  const name = read('name', /^.{1,100}$/u)?.trim()
  const port = read('port', /^[1-9]\d{3,4}$/)
  const isPort = Number(port) >= 1024 && Number(port) <= 65_535
  if (!purpose || !challenge || !state || !name || (given.has('port') && !isPort)) return undefined
  return { purpose, challenge, state, name, port }
}

/** Returns to the command line, which can only wait on this machine. */
function returnTo({ port, state }: Request, result: { code: string } | { error: 'access_denied' }) {
  if (port) location.assign(`http://127.0.0.1:${port}/?${new URLSearchParams({ ...result, state })}`)
}

/** Lets the operator allow a command line to log in, or to do what needs a confirmation. */
export function Authorize() {
  const [request, setRequest] = useState(() => requestOf(location.hash))
  const [code, setCode] = useState<string>()
  const [isCancelled, setCancelled] = useState(false)
  useEffect(() => {
    // Histories and screenshots must not have it.
    const clear = () => history.replaceState(null, '', location.pathname)
    function follow() {
      const next = requestOf(location.hash)
      if (!next) return
      setRequest(next)
      setCode(undefined)
      setCancelled(false)
      clear()
    }
    clear()
    // The link of another command was opened here.
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const title = request?.purpose === 'confirmation' ? 'Confirm a command' : 'Log in a command line'
  return (
    <>
      <Heading title={title} />
      {!request ? (
        <p>The link is incomplete. Copy the whole address from the terminal, or run the command again.</p>
      ) : isCancelled ? (
        <p role="status">Cancelled. Nothing was allowed. You can close this page.</p>
      ) : code ? (
        <Allowed code={code} />
      ) : (
        <Question
          request={request}
          allow={(given) => {
            setCode(given)
            returnTo(request, { code: given })
          }}
          cancel={() => {
            setCancelled(true)
            returnTo(request, { error: 'access_denied' })
          }}
        />
      )}
    </>
  )
}

interface QuestionProps {
  request: Request
  allow(code: string): void
  cancel(): void
}

function Question({ request: { purpose, challenge, name }, allow, cancel }: QuestionProps) {
  const { operator } = useConsole()
  return (
    <div class="card">
      <Form
        submit="Allow"
        more={<Cancel close={cancel} />}
        send={async () => {
          const { data, error } = await call('createCommandLineCode', { body: { purpose, challenge, name } })
          if (data) allow(data.code)
          return error
        }}
      >
        <p>
          {purpose === 'login'
            ? 'A command line asks to act for you, for up to 12 hours. Dangerous changes ask for your second factor again.'
            : 'A command asks for your second factor, for a dangerous change. It may make such changes for 10 minutes.'}
        </p>
        <dl>
          <Fact name="Command line">
            <Name of={name} />
          </Fact>
          <Fact name="You">
            <Name of={operator.email} />
          </Fact>
          <Fact name="It may act as">
            <Rights of={operator} />
          </Fact>
        </dl>
        <p>
          <strong>Cancel if you have not just run a command of Usher yourself.</strong> Somebody may have sent
          you this link.
        </p>
      </Form>
    </div>
  )
}

const Allowed = ({ code }: { code: string }) => (
  <div class="card">
    <p role="status">
      Return to the terminal. If the command still waits, paste this code there within 2 minutes. Give it to
      nobody.
    </p>
    <ToCopy value={code} />
  </div>
)
