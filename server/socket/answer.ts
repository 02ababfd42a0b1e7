import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { problems } from '@usher/contract'
import { textUpTo } from '../domain/limited-text.js'
import { Problem, problemOf, usageError } from '../domain/problem.js'
import { type Call, createHostCall, hostCaller } from '../run/host.js'
import { version } from '../version.js'
import { versionHeader } from './address.js'
import type { SocketDoor } from './listen.js'

/** More than any request has: a slice of an import, or the templates of mails. */
const maxBytes = 16 * 1_048_576

/** A request of a command, whose path is the name of the operation. */
interface CommandRequest {
  /** Name of the operating system's user who runs the command, for audit lines. */
  operator: string
  request: Parameters<Call>[1]
}

/** Runs the operation of a request, and sends the body of its response: JSON, or lines of NDJSON. */
export async function answerCommand(
  { context, consoleUrl, log }: SocketDoor,
  request: IncomingMessage,
  response: ServerResponse,
) {
  response.setHeader(versionHeader, version)
  // Its operations may be others, which the client says.
  if (request.headers[versionHeader] !== version) return void response.writeHead(400).end()
  try {
    const text = await textUpTo(maxBytes, request, () => usageError(`more than ${maxBytes} bytes`))
    const { operator, request: sent } = JSON.parse(text) as CommandRequest
    const caller = hostCaller(log.child({ operator }))
    const call = createHostCall({ context, consoleUrl, caller })
    const body: unknown = await call(request.url?.slice(1) as Parameters<Call>[0], sent)
    if (body === undefined) response.writeHead(204).end()
    else if (isIterable(body)) await pipeline(linesOf(body), response.writeHead(200))
    else response.writeHead(200).end(JSON.stringify(body))
  } catch (error) {
    if (response.headersSent) throw error
    sendProblem(problemOf(error), response)
    if (!(error instanceof Problem)) log.warn({ err: error }, 'a command failed')
  }
}

const isIterable = (body: unknown): body is AsyncIterable<unknown> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

async function* linesOf(items: AsyncIterable<unknown>) {
  for await (const item of items) yield `${JSON.stringify(item)}\n`
}

function sendProblem(
  { code, message: detail, errors, about, suggestion }: Problem,
  response: ServerResponse,
) {
  const entry = problems[code]
  const status = 'status' in entry ? entry.status : 400
  response.writeHead(status).end(JSON.stringify({ code, detail, errors, about, suggestion }))
}
