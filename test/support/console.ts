import { setupLink } from '../../server/domain/operators/links.js'
import { ensureOperatorsDatabase } from '../../server/domain/operators/operators-database.js'
import { withOwnStore } from './api.js'
import type { TestApi } from './app.js'
import { startApp } from './app.js'
import { totpAt } from './second-factor.js'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export const operatorPassword = 'four random common words'

/** An operator who is logged in. */
export interface LoggedInOperator {
  id: string
  email: string
  jwt: string
  /** Returns a code of the authenticator app that was not used before. */
  nextCode(): string
  /** Returns what confirms a dangerous operation. */
  confirm(): Promise<string>
  send(
    method: Method,
    url: string,
    payload?: object,
    headers?: Record<string, string>,
  ): ReturnType<TestApi['inject']>
}

/** Creates the operators' database of a server, as its start does, and returns what operators do with it. */
export async function openConsole(usher: Pick<TestApi, 'store' | 'clock' | 'context' | 'config' | 'inject'>) {
  const { store, clock, context, config } = usher
  await ensureOperatorsDatabase({ store, now: new Date(clock.now), consoleUrl: config.consoleUrl })
  const database = await context.findOperators()
  if (!database) throw new Error('there is no database of operators')
  const users = `/workspaces/${database.workspaceSlug}/databases/${database.databaseName}/users`
  const post = (path: string, payload: object, headers = {}) =>
    usher.inject({ method: 'POST', url: `${users}/${path}`, payload, headers })

  /** Returns the code of the link with which the first operator is created. */
  async function setupCode() {
    const link = setupLink(database as never, await context.findSecrets(database?.id ?? ''), clock.now)
    return link.slice(link.indexOf('#code=') + 6)
  }

  const createFirst = async (email: string, code?: string) =>
    usher.inject({
      method: 'POST',
      url: '/operator/first-operator',
      payload: { code: code ?? (await setupCode()), email, password: operatorPassword },
    })

  /** Logs in an operator who has a password and no second factor yet. */
  async function enrol(email: string, password = operatorPassword): Promise<LoggedInOperator> {
    const login = await post('login', { email, password })
    const { challenge } = login.json().secondFactor
    const enrolled = (await post('me/factors/totp', { challenge })).json()
    clock.now += 30_000
    const totp = totpAt(enrolled.secret, clock.now)
    const added = await post('me/factors/totp/confirm', { challenge: enrolled.challenge, totp })
    if (added.statusCode !== 201) throw new Error(added.body)
    return operatorOf(added.json(), { email, secret: enrolled.secret })
  }

  function operatorOf(
    { id, token }: { id: string; token: { jwt: string } },
    { email, secret }: { email: string; secret: string },
  ): LoggedInOperator {
    let { jwt } = token
    function nextCode() {
      clock.now += 30_000
      return totpAt(secret, clock.now)
    }
    const operator = {
      id,
      email,
      get jwt() {
        return jwt
      },
      nextCode,
      async confirm() {
        const headers = { authorization: `Bearer ${jwt}` }
        const stepped = await post('me/step-up', { totp: nextCode() }, headers)
        if (stepped.statusCode !== 200) throw new Error(stepped.body)
        jwt = stepped.json().token.jwt
        return String(stepped.json().confirmation.value)
      },
      send: (method: Method, url: string, payload?: object, headers: Record<string, string> = {}) =>
        usher.inject({
          method,
          url,
          headers: { authorization: `Bearer ${jwt}`, ...headers },
          ...(payload && { payload }),
        }),
    }
    return operator
  }

  /** Creates the first operator, who is owner of the installation. */
  async function owner(email = 'owner@example.com') {
    const created = await createFirst(email)
    if (created.statusCode !== 201) throw new Error(created.body)
    return enrol(email)
  }

  /** Adds an operator with a role, and logs in. */
  async function operator(
    by: LoggedInOperator,
    body: { email: string; workspace: string | null; role: string },
  ) {
    const headers = { 'usher-confirmation': await by.confirm() }
    const added = await by.send('POST', '/operator/operators', body, headers)
    if (added.statusCode !== 201) throw new Error(added.body)
    const code = String(added.json().link).split('#code=')[1]
    const reset = await post('password-reset/confirm', { code, newPassword: operatorPassword })
    if (![200, 401].includes(reset.statusCode)) throw new Error(reset.body)
    return enrol(body.email)
  }

  return { database, users, post, setupCode, createFirst, enrol, owner, operator }
}

/** `it` with a server and a store per file, and its console. */
export const it = withOwnStore
  .extend('settings', { scope: 'file' }, {} as Record<string, string>)
  .extend('usher', { scope: 'file' }, async ({ store, settings }, { onCleanup }) => {
    const usher = await startApp(store, settings)
    onCleanup(usher.close)
    return usher
  })
  .extend('console', { scope: 'file' }, ({ usher }) => openConsole(usher))
