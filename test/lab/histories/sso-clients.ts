import { setTimeout as pause } from 'node:timers/promises'
import { password } from '../../support/app.js'
import { opened } from '../../support/sso-login.js'
import type { Random } from './random.js'
import type { Request } from './requests.js'
import {
  type Facts,
  type KnownSession,
  type Observation,
  type Place,
  places,
  type Span,
} from './sso-facts.js'
import type { Server } from './stage.js'

/** A tenant whose single sign-on changes. */
export interface Tenant {
  id: string
  connectionId: string
  issuer: string
}

/** What clients and operators of a history share. */
export interface World {
  servers: readonly Server[]
  random: Random
  facts: Facts
  tenants: Record<Place, Tenant>
  /** URL of the database. */
  root: string
  emails: Record<string, string>
  seen: Observation[]
  /** Lets a user return from the provider of a tenant. */
  returned(place: Place, user: string): Promise<object>
}

interface Body {
  code?: string
  tenants: string[]
  token: { jwt: string }
  refreshToken: { value: string }
}

type Answer = Span & { status: number | undefined; body: Body }

let requests = 0

/** Sends a request to one server after the other, until one answers. The status is undefined if none does. */
export async function send(
  { servers, random, root }: Pick<World, 'servers' | 'random' | 'root'>,
  [method, path, token, payload]: [Request['method'], string, string?, object?],
): Promise<Answer> {
  const call = Date.now()
  for (let tries = 0; tries < 30; tries++) {
    requests += 1
    const response = await random.pick(servers)?.send({
      ...{ method, url: `${root}/${path}` },
      headers: {
        ...(payload && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
        'x-forwarded-for': `10.9.${(requests >> 8) & 255}.${requests & 255}`,
      },
      ...(payload && { payload }),
    })
    if (typeof response === 'object') {
      const { status } = response
      if (status >= 500) throw new Error(`${path}: ${status} ${JSON.stringify(response.body)}`)
      return { call, end: Date.now(), status, body: response.body as unknown as Body }
    }
    await pause(50)
  }
  return { call, end: Number.POSITIVE_INFINITY, status: undefined, body: {} as Body }
}

interface OpenSession extends KnownSession {
  jwt: string
  refreshToken: string
}

const isDone = ({ status = 0 }: Answer) => status >= 200 && status < 300
const mayBeDone = (answer: Answer) => isDone(answer) || answer.status === undefined

/** Returns what a client of a user does next, over and over. */
export function createClient(world: World, user: string) {
  const { random, facts, tenants, seen } = world
  const sessions: OpenSession[] = []
  const placesOf = (ids: readonly string[]) => places.filter((place) => ids.includes(tenants[place].id))

  /** Keeps what a response with a token says. */
  function see(
    session: OpenSession,
    { body, call, end }: Answer,
    more: Pick<Observation, 'what' | 'through'>,
  ) {
    const { tenants: inToken, sso = {}, account } = opened(body.token.jwt)
    if ((account === false) !== session.isTenantOnly) throw new Error(`${more.what}: account is ${account}`)
    const ids = [...new Set([...(inToken as string[]), ...body.tenants])]
    session.jwt = body.token.jwt
    seen.push({ ...more, session, tenants: placesOf(ids), sso: proofsIn(sso as object), call, end })
  }
  const proofsIn = (sso: object) =>
    Object.fromEntries(
      places.flatMap((place) => {
        const time = (sso as Record<string, number>)[tenants[place].id]
        return time === undefined ? [] : [[place, time]]
      }),
    )

  async function open(answer: Answer, { place, issuer }: { place?: Place; issuer?: string } = {}) {
    if (!isDone(answer)) return
    const session = { user, isTenantOnly: place !== undefined, jwt: '', refreshToken: '' }
    const proofs: KnownSession['proofs'] = { acme: [], other: [] }
    if (place) proofs[place].push(answer)
    const own = { ...session, proofs }
    see(own, answer, { what: 'login', through: place && issuer ? { place, issuer } : undefined })
    const answered = await send(world, ['POST', 'users/me/session', own.jwt])
    if (!isDone(answered)) return
    see(own, answered, { what: 'session' })
    own.refreshToken = answered.body.refreshToken.value
    sessions.push(own)
    if (sessions.length > 4) sessions.shift()
  }
  const pickPlace = () => random.pick(places) as Place
  const refresh = async (session: OpenSession) => {
    const answer = await send(world, [
      'POST',
      'users/session/refresh',
      undefined,
      { refreshToken: session.refreshToken },
    ])
    if (!isDone(answer)) return void sessions.splice(sessions.indexOf(session) >>> 0, 1)
    session.refreshToken = answer.body.refreshToken.value
    see(session, answer, { what: 'refresh' })
  }
  const prove = async (session: OpenSession) => {
    const place = pickPlace()
    const { issuer } = tenants[place]
    const payload = await world.returned(place, user)
    if (random.chance(0.3)) await pause(random.below(500))
    const { jwt } = session
    const answer = await send(world, ['POST', 'users/me/tenant-proofs', jwt, payload])
    if (mayBeDone(answer)) session.proofs[place].push(answer)
    if (isDone(answer)) see(session, answer, { what: 'proof', through: { place, issuer } })
  }
  const read = async ({ jwt, ...session }: OpenSession) => {
    const sso = proofsIn((opened(jwt).sso ?? {}) as object)
    const me = await send(world, ['GET', 'users/me', jwt])
    if (isDone(me)) seen.push({ ...me, what: 'me', session, tenants: placesOf(me.body.tenants), sso })
    const place = pickPlace()
    const members = await send(world, ['GET', `tenants/${tenants[place].id}/members`, jwt])
    if (isDone(members)) seen.push({ ...members, what: 'members', session, tenants: [place], sso })
  }

  const logIn = async () =>
    open(await send(world, ['POST', 'users/login', undefined, { email: world.emails[user], password }]))
  const signOn = async () => {
    const place = pickPlace()
    const { issuer } = tenants[place]
    const payload = await world.returned(place, user)
    if (random.chance(0.3)) await pause(random.below(500))
    const answer = await send(world, ['POST', 'users/login/finish', undefined, payload])
    if (mayBeDone(answer)) facts.add(`join ${place} ${user}`, answer)
    await open(answer, { place, issuer })
  }
  return async () => {
    const session = random.pick(sessions)
    if (!session || random.chance(0.2)) return random.chance(0.4) ? logIn() : signOn()
    if (random.chance(0.3)) return read(session)
    if (random.chance(0.5)) return refresh(session)
    if (random.chance(0.5)) return prove(session)
    await Promise.all([prove(session), refresh(session)])
  }
}
