import { FieldError, isProblemCode, type ProblemCode } from '@usher/contract'
import { operatorContract } from '@usher/contract/operator'
import { z } from 'zod'
import { textUpTo } from '../../domain/limited-text.js'
import { Problem, usageError } from '../../domain/problem.js'
import { version } from '../../version.js'
import { otherVersion } from './other-version.js'

/** More than any response. */
const maxResponseBytes = 4_194_304
/** How long a request may take. */
const limitMilliseconds = 60_000

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/

/**
 * Returns the origin of a server from its URL. Tokens are sent to it, so only a server on this machine can do without TLS.
 *
 * @throws {Problem} `usage_error`
 */
export function originOf(text: string) {
  const { protocol, hostname, origin } = URL.canParse(text)
    ? new URL(text)
    : { protocol: '', hostname: '', origin: '' }
  if (protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname))) return origin
  throw usageError('the URL of a server must begin with https://, or with http:// on this machine')
}

/** An operation of the contract. */
export interface Route {
  method: string
  path: string
  responses: object
  metadata: { who: unknown; lines?: object }
}

type DataOf<R extends Route> = R['responses'] extends { 200: z.ZodType<infer Data> }
  ? Data
  : R['responses'] extends { 201: z.ZodType<infer Data> }
    ? Data
    : unknown

export interface Given {
  params?: Readonly<Record<string, string>> | undefined
  query?: Readonly<Record<string, string | undefined>> | undefined
  /** An object, or lines. */
  body?: unknown
  token?: string
  confirmation?: string | undefined
}

const ProblemOfServer = z.object({
  code: z.string(),
  detail: z.string().optional(),
  errors: z.array(FieldError).optional(),
})

/**
 * Sends an operation to a server, and returns its data.
 *
 * @throws {Problem} that of the server; `server_unreachable`; `console_missing` if something else has responded
 */
export async function sendTo<R extends Route>(
  origin: string,
  { method, path, responses, metadata }: R,
  { params = {}, query = {}, body, token, confirmation }: Given = {},
): Promise<DataOf<R>> {
  const address = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const given = Object.entries(query).filter((each): each is [string, string] => each[1] !== undefined)
  const url = `${origin}${address}${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`
  const { status, text } = await exchange(origin, url, {
    method,
    // Nobody else may get the token.
    redirect: 'manual',
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(confirmation && { 'usher-confirmation': confirmation }),
      ...(body !== undefined && {
        'content-type': metadata.lines ? 'application/x-ndjson' : 'application/json',
      }),
    },
    ...(body !== undefined && { body: metadata.lines ? String(body) : JSON.stringify(body) }),
  })
  if (status === 204) return undefined as DataOf<R>
  const json = parsed(text)
  const schema = (responses as Record<number, z.ZodType<DataOf<R>>>)[status]
  const { data } = status < 300 && schema ? schema.safeParse(json) : {}
  if (data !== undefined) return data
  const problem = ProblemOfServer.safeParse(json).data
  if (!problem || !isProblemCode(problem.code)) throw notUsher(origin, status)
  const { code, detail, errors } = problem
  throw new Problem<ProblemCode>(code, {
    ...(detail !== undefined && { detail }),
    ...(errors && { errors }),
  })
}

/** Reads the body of a response. */
const responseText = (body: AsyncIterable<Uint8Array>) =>
  textUpTo(maxResponseBytes, body, () => new Error(`more than ${maxResponseBytes} bytes`))

async function exchange(origin: string, url: string, request: RequestInit) {
  try {
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(limitMilliseconds) })
    const text = response.body ? await responseText(response.body) : ''
    return { status: response.status, text }
  } catch (error) {
    const { message } = ((error as Error).cause ?? error) as Error
    throw new Problem('server_unreachable', { detail: `cannot reach ${origin}: ${message}`, cause: error })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Returns where the operators of a server log in.
 *
 * @throws {Problem} `console_missing`; `server_version`, because the operator API changes with the server
 */
export async function requireConsole(origin: string) {
  const console = await sendTo(origin, operatorContract.console.getConsole).catch((error) => {
    if (!(error instanceof Problem) || error.code !== 'route_not_found') throw error
    throw consoleMissing(origin)
  })
  if (console.version !== version)
    throw new Problem('server_version', { detail: `${origin} ${otherVersion(console.version)}` })
  return console
}

/** Returns the problem of a server that has no console for this machine. */
const consoleMissing = (origin: string) =>
  new Problem('console_missing', {
    detail: `${origin} has no console. Set CONSOLE=on there, and name the port of the management API`,
  })

const notUsher = (origin: string, status: number) =>
  status >= 500
    ? new Problem('server_unreachable', { detail: `${origin} responds with status ${status}` })
    : new Problem('console_missing', {
        detail: `${origin} responds with status ${status}, and not as the console of Usher does`,
      })
