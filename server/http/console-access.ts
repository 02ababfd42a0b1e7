import type { ProblemCode } from '@usher/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '../domain/problem.js'
import type { HttpSettings } from './app.js'
import { everyPart } from './routes/part.js'

/** What a port serves of the console and of the operators' database. */
export interface ConsoleAccess {
  /** Whether the port serves them. */
  isOn: boolean
  /** Whether only clients on this machine may use them. */
  onlyLoopback: boolean
  /** Whether the port serves other databases than that of the operators to their users. */
  hasUsers: boolean
}

/** Returns what a port serves of the console: only the port of the management API, if that has one of its own. */
export const accessOf = ({ parts = everyPart, console }: HttpSettings): ConsoleAccess => ({
  isOn: console !== undefined && parts.includes('management'),
  onlyLoopback: console?.onlyLoopback ?? false,
  hasUsers: parts.includes('public'),
})

declare module 'fastify' {
  interface FastifyInstance {
    consoleAccess: ConsoleAccess
  }
}

/** Tells the routes of an app what they serve. */
export const setConsoleAccess = (app: FastifyInstance, access: ConsoleAccess) =>
  app.decorate('consoleAccess', access)

type Request = Pick<FastifyRequest, 'server' | 'clientAddress' | 'headers' | 'raw'>

const loopback = /^(127\.|::1$|::ffff:127\.|$)/
/** Another name could be that of a page on the internet which now leads to this machine (DNS rebinding). */
const ownName = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i
/** Headers of proxies, tunnels and content delivery networks. */
const headerOfProxies =
  /^(forwarded|via|x-(forwarded|real|original|client|cluster|envoy)-.+|true-client-ip|c(f|dn)-.+|fastly-.+)$/

/**
 * Returns whether a request is of this machine, and no proxy on this machine has passed it on. Proxies such as nginx send HTTP/1.0 by
 * default, and browsers do not. A proxy that sends HTTP/1.1 and no header of its own looks like a browser.
 */
const isLocal = ({ clientAddress, headers, raw }: Request) =>
  loopback.test(clientAddress) &&
  ownName.test(headers.host ?? '') &&
  raw.httpVersion !== '1.0' &&
  !Object.keys(headers).some((name) => headerOfProxies.test(name))

/** @throws {Problem} unless the port serves the console to the client */
export function requireConsole(request: Request, code: ProblemCode = 'route_not_found') {
  const { isOn, onlyLoopback } = request.server.consoleAccess
  if (!isOn || (onlyLoopback && !isLocal(request))) throw new Problem(code)
}

/**
 * Checks that a port serves the users of a database.
 *
 * @throws {Problem} `database_not_found`
 */
export function requireServed(request: Request, { isOperators }: { isOperators: boolean }) {
  if (isOperators) requireConsole(request, 'database_not_found')
  else if (!request.server.consoleAccess.hasUsers) throw new Problem('database_not_found')
}
