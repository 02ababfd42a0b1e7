import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { ErrorCode, FieldError } from '@usher/contract'
import { Problem } from '../../domain/problem.js'
import { versionHeader, withAddress } from '../../socket/address.js'
import { isPrivateFolder } from '../../store/private-files.js'
import { version } from '../../version.js'
import type { Call } from '../io/cli.js'
import type { Host } from '../io/host.js'
import { readLines } from '../io/ndjson-file.js'

/**
 * Returns a function that has the server run operations that has the embedded store in a folder open. Undefined if there is none.
 */
export async function toSocket(folder: string, { operator }: Host): Promise<Call | undefined> {
  let first = await connectTo(folder)
  if (!first) return undefined
  const call = async (name: string, request: object) => {
    const socket = first ?? (await connectTo(folder))
    first = undefined
    if (!socket) throw stopped()
    const response = await exchange(socket, name, { operator, request }).catch(ifStopped)
    const { [versionHeader]: other } = response.headers
    if (other !== version)
      throw new Problem('server_version', {
        detail: `The running server is Usher ${other}, and this command is ${version}. Stop the server, then run the command again.`,
      })
    if (response.statusCode === 200 && name === 'exportUsers') return itemsOf(response)
    const text = await response.setEncoding('utf8').toArray().catch(ifStopped)
    const body: unknown = text.length > 0 ? JSON.parse(text.join('')) : undefined
    if (Number(response.statusCode) < 300) return body
    const { code, detail, ...more } = body as { code: ErrorCode; detail: string; errors?: FieldError[] }
    throw new Problem(code, { detail, ...more })
  }
  return call as Call
}

/** Connects to a server. A folder that others can change might have a socket of someone else. */
async function connectTo(folder: string): Promise<Socket | undefined> {
  try {
    if (!isPrivateFolder(folder)) return undefined
    const socket = withAddress(folder, (address) => connect(address))
    await once(socket, 'connect')
    return socket
  } catch {
    return undefined
  }
}

async function exchange(socket: Socket, name: string, body: object): Promise<IncomingMessage> {
  const request = httpRequest({
    createConnection: () => socket,
    method: 'POST',
    path: `/${name}`,
    headers: { [versionHeader]: version, connection: 'close' },
  })
  request.end(JSON.stringify(body))
  const [response] = await once(request, 'response')
  return response
}

/** Yields the values of lines. */
async function* itemsOf(response: IncomingMessage): AsyncGenerator<unknown> {
  try {
    for await (const { text } of readLines(response)) yield JSON.parse(text)
  } catch (error) {
    ifStopped(error)
  }
}

const stopped = () =>
  new Problem('server_stopped', {
    detail: 'The server stopped before the command ended. Start it, and check what the command has changed.',
  })

function ifStopped(error: NodeJS.ErrnoException | unknown): never {
  const { code = '' } = error as NodeJS.ErrnoException
  throw ['ECONNRESET', 'EPIPE'].includes(code) ? stopped() : error
}
