import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { v7 as uuidv7 } from 'uuid'
import { query } from '../../support/citus.js'
import { freePort } from '../../support/postgres-server.js'
import { runProgram } from '../run-program.js'
import { type Next, requestBytes } from './load.js'
import { type Measured, startProgram } from './processes.js'
import { descriptions, fill, type Request, type ServerDescription } from './server-description.js'

const password = 'correct horse battery'

/** A server with the next request of each kind, and the status that it must return. */
export type LoadedServer = Measured & {
  requests: Record<'create' | 'login' | 'me', { next: Next; status: number }>
}

/**
 * Prepares the store of a server, starts it, and signs users up.
 *
 * @param place.folder where the server is installed
 * @param place.databaseUrl an empty Postgres database
 */
export async function startDescribed(
  description: ServerDescription,
  place: { folder: string; databaseUrl: string },
  users: number,
): Promise<LoadedServer> {
  const port = await freePort()
  const { env, prepare, start, ready, requests } = fill(description, {
    ...place,
    node: process.execPath,
    descriptions: fileURLToPath(descriptions).replace(/\/$/, ''),
    port: String(port),
    secret: randomBytes(32).toString('base64'),
  })
  const options = { cwd: place.folder, env }
  for (const step of prepare) {
    if ('sql' in step) await query(place.databaseUrl, step.sql)
    else runProgram(options, step.command, ...step.args)
  }
  const server = await startProgram({ ...start, ...options }, port, ready)
  try {
    return { ...server, requests: await signUpUsers(`http://127.0.0.1:${port}`, requests, users) }
  } catch (error) {
    await server.stop()
    throw new Error(`${description.name} cannot be measured`, { cause: error })
  }
}

/** Signs users up and logs them in. Returns the requests of a load by these users. */
async function signUpUsers(
  origin: string,
  { create, login, me }: ServerDescription['requests'],
  users: number,
): Promise<LoadedServer['requests']> {
  const logins: string[] = []
  const reads: string[] = []
  for (let index = 0; index < users; index++) {
    const user = { email: `user${index}@example.com`, password }
    await send(origin, fill(create, user))
    const request = fill(login, user)
    const credential = credentialOf(login.credential, await send(origin, request))
    logins.push(bytesOf(request))
    reads.push(bytesOf(fill(me, { credential })))
  }
  const inTurn = (requests: string[]) => {
    let count = 0
    return () => requests[count++ % requests.length] ?? ''
  }
  const newUser = () => bytesOf(fill(create, { email: `${uuidv7()}@example.com`, password }))
  return {
    create: { next: newUser, status: create.status },
    login: { next: inTurn(logins), status: login.status },
    me: { next: inTurn(reads), status: me.status },
  }
}

const bytesOf = ({ method, path, headers, body }: Request) => requestBytes(method, path, { headers, body })

/** Sends a request. Throws if the response has another status than the expected one. */
async function send(origin: string, { method, path, headers, body, status }: Request) {
  const sent = request(`${origin}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
  })
  sent.end(body && JSON.stringify(body))
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const answer = await text(response)
  if (response.statusCode === status) return { text: answer, cookies: response.headers['set-cookie'] ?? [] }
  throw new Error(`${method} ${path} returned ${response.statusCode} instead of ${status}: ${answer}`)
}

/** Returns the token or the cookie of a login. Throws if there is none. */
function credentialOf(
  place: ServerDescription['requests']['login']['credential'],
  { text, cookies }: { text: string; cookies: string[] },
) {
  const found =
    'cookie' in place
      ? cookies.find((cookie) => cookie.startsWith(`${place.cookie}=`))?.slice(place.cookie.length + 1)
      : place.body.split('.').reduce((value, key) => value?.[key], JSON.parse(text))
  if (typeof found === 'string') return found.split(';')[0] ?? ''
  throw new Error(`The response to the login has no ${Object.values(place)}: ${text}`)
}
