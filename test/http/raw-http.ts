import { connect } from 'node:net'
import type { RawResponse } from '../support/documented.js'

/**
 * Sends bytes to a port of 127.0.0.1 and reads until the server closes the connection. The client half-closes the
 * connection `quiet` milliseconds after the last bytes it sent, or 50 ms after the last bytes it received, if they are
 * more than a 100 Continue.
 */
export async function exchange(port: number, bytes: Buffer, quiet = 500): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1')
  const late = setTimeout(
    () => socket.destroy(new Error('the server neither responds nor closes the connection')),
    20_000,
  )
  let done = setTimeout(() => socket.end(), quiet)
  socket.on('data', (part) => {
    if (part.toString('latin1', 0, 12) === 'HTTP/1.1 100') return
    clearTimeout(done)
    done = setTimeout(() => socket.end(), 50)
  })
  const received: Buffer[] = []
  socket.on('data', (part) => received.push(part))
  socket.write(bytes)
  await new Promise<void>((resolve, reject) => {
    socket.on('close', resolve).on('error', (error: NodeJS.ErrnoException) => {
      // The server may close the connection before it has read all bytes.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error)
    })
  }).finally(() => [late, done].forEach(clearTimeout))
  return Buffer.concat(received)
}

/**
 * Parses HTTP responses. Throws on bytes that are not HTTP.
 *
 * @param isHead whether the request was HEAD. Its response has no body, whatever Content-Length says
 */
export function parseResponses(bytes: Buffer, isHead = false): RawResponse[] {
  const responses: RawResponse[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n')
    const [first = '', ...lines] = rest.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n')
    const statusCode = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    if (!statusCode) throw new Error(`not HTTP: ${rest.toString('latin1', 0, 200)}`)
    const headers = Object.fromEntries(
      lines.map((line) => {
        const at = line.indexOf(': ')
        return [line.slice(0, at).toLowerCase(), line.slice(at + 2)]
      }),
    )
    rest = rest.subarray(end + 4)
    // A response to bytes that are not HTTP has a body even if they start with HEAD.
    const isHeadResponse = isHead && (rest.length === 0 || rest.toString('latin1', 0, 5) === 'HTTP/')
    const hasBody = !isHeadResponse && statusCode >= 200 && statusCode !== 204 && statusCode !== 304
    const length = hasBody ? Number(headers['content-length']) : 0
    if (!(length <= rest.length)) throw new Error(`incomplete response: ${first}`)
    if (statusCode >= 200) responses.push({ statusCode, headers, body: rest.toString('utf8', 0, length) })
    rest = rest.subarray(length)
  }
  return responses
}
