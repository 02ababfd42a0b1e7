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

type Request = Pick<FastifyRequest, 'server' | 'clientAddress' | 'headers'>

const loopback = /^(127\.|::1$|::ffff:127\.|$)/
/** Another name could be that of a page on the internet which now leads to this machine (DNS rebinding). */
const ownName = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i
const headersOfProxies = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']

/** Returns whether a request is of this machine, and no proxy on this machine has passed it on. */
const isLocal = ({ clientAddress, headers }: Request) =>
  loopback.test(clientAddress) &&
  ownName.test(headers.host ?? '') &&
  headersOfProxies.every((name) => headers[name] === undefined)

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
