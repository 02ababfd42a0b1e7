import { type Confirmation, operatorRightOf, type RouteMetadata } from '@usher/contract'
import { managementContract } from '@usher/contract/management'
import { hostContract, operatorContract } from '@usher/contract/operator'
import { rightsNeededBy } from '../../domain/field-rights.js'
import { Problem } from '../../domain/problem.js'
import type { Call } from '../io/cli.js'
import type { Host } from '../io/host.js'
import { type Given, type Route, requireConsole, sendTo } from '../remote/request.js'
import { loginMissing, openRemoteSession, type RemoteSession } from '../remote/session.js'
import type { Transport } from './transport.js'

type DescribedRoute = Route & { metadata: RouteMetadata }

const routes = new Map(
  [managementContract, operatorContract, hostContract].flatMap((contract) =>
    Object.values(contract).flatMap((router) => Object.entries(router as Record<string, DescribedRoute>)),
  ),
)

/** What a command sends to an operation. */
type Sent = Pick<Given, 'params' | 'query' | 'body'>

/** Sends operations to a server on another machine, as the operator of a session. */
export async function toServer(url: string, host: Host): Promise<Transport> {
  const session = await openRemoteSession(url, host)
  await requireConsole(session.origin)
  return { call: callOf(session), hasConsole: true, close: async () => undefined }
}

/** Returns a function that sends operations, and asks for the confirmation that a server wants. */
export function callOf(session: Pick<RemoteSession, 'origin' | 'token' | 'confirm'>): Call {
  const { origin } = session
  /** The confirmations of this command, by the operation that returns them, and that of the operator. */
  const confirmations = new Map<string, string>()

  async function call(name: string, sent: Sent): Promise<unknown> {
    const route = routes.get(name) as DescribedRoute
    const { metadata } = route
    const never = rightsNeededBy(sent.body, metadata.fields).find(({ operator }) => operator === 'never')
    if (!operatorRightOf(metadata) || never) throw hostOnly(never ? `${name} with ${never.name}` : name)
    const by = typeof metadata.confirms === 'object' ? metadata.confirms.by : 'operator'
    try {
      return await send(route, { ...sent, confirmation: confirmations.get(by) })
    } catch (error) {
      // Only then, because an operator without the role is not asked.
      if (!hasCode(error, 'step_up_required')) throw error
    }
    const confirmation =
      by === 'operator' ? await session.confirm() : await permitOf(by, { params: sent.params })
    confirmations.set(by, confirmation)
    return send(route, { ...sent, confirmation })
  }

  const permitOf = async (name: string, sent: Sent) => ((await call(name, sent)) as Confirmation).value

  async function send(route: Route, given: Given) {
    const token = await session.token()
    try {
      return await sendTo(origin, route, { ...given, token })
    } catch (error) {
      if (!hasCode(error, 'token_invalid')) throw error
    }
    const replaced = await session.token(token)
    return sendTo(origin, route, { ...given, token: replaced }).catch((error) => {
      throw hasCode(error, 'token_invalid') ? loginMissing(origin) : error
    })
  }

  return call as Call
}

const hasCode = (error: unknown, code: string) => error instanceof Problem && error.code === code

const hostOnly = (what: string) =>
  new Problem('host_only', { detail: `Only the machine of the server can run: ${what}.` })
