import { connect } from 'node:net'
import type { Answer } from './documented.js'

/**
 * Writes bytes to a port of the loopback and reads until the server ends the connection. Once it has been quiet,
 * which is after `quiet` milliseconds or soon after an answer, the client ends its half: what it sent is all.
 */
export async function exchange(port: number, bytes: Buffer, quiet = 500): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1')
  const late = setTimeout(() => socket.destroy(new Error('the server neither answers nor ends')), 20_000)
  let done = setTimeout(() => socket.end(), quiet)
  socket.on('data', () => {
    clearTimeout(done)
    done = setTimeout(() => socket.end(), 50)
  })
  const received: Buffer[] = []
  socket.on('data', (part) => received.push(part))
  socket.write(bytes)
  await new Promise<void>((resolve, reject) => {
    socket.on('close', resolve).on('error', (error: NodeJS.ErrnoException) => {
      // The server may end the connection while there is still something to be sent to it.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error)
    })
  }).finally(() => [late, done].forEach(clearTimeout))
  return Buffer.concat(received)
}

/**
 * The answers in what a server wrote; fails where it is no HTTP.
 *
 * @param isHead whether the request was a HEAD, whose answer has no body whatever its length says
 */
export function answersIn(bytes: Buffer, isHead = false): Answer[] {
  const answers: Answer[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n')
    const [first = '', ...lines] = rest.subarray(0, Math.max(end, 0)).toString('latin1').split('\r\n')
    const statusCode = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    if (!statusCode) throw new Error(`no answer: ${rest.toString('latin1', 0, 200)}`)
    const headers = Object.fromEntries(
      lines.map((line) => {
        const at = line.indexOf(': ')
        return [line.slice(0, at).toLowerCase(), line.slice(at + 2)]
      }),
    )
    rest = rest.subarray(end + 4)
    // A refusal of what is no HTTP has a body all the same.
    const isSpared = isHead && (rest.length === 0 || rest.toString('latin1', 0, 5) === 'HTTP/')
    const hasBody = !isSpared && statusCode >= 200 && statusCode !== 204 && statusCode !== 304
    const length = hasBody ? Number(headers['content-length']) : 0
    if (!(length <= rest.length)) throw new Error(`an answer is cut short: ${first}`)
    if (statusCode >= 200) answers.push({ statusCode, headers, body: rest.toString('utf8', 0, length) })
    rest = rest.subarray(length)
  }
  return answers
}
