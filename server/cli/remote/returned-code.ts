import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Problem } from '../../domain/problem.js'

/** Nothing of what a browser gets may stay in a cache or go to another site. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  connection: 'close',
}

const page = (title: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body><main><h1>${title}</h1><p>You can close this page.</p></main></body>
</html>
`

/**
 * Waits on this machine for the browser to return with a code (RFC 8252, section 7.3).
 *
 * @param state of the request. Anything else that asks gets nothing and changes nothing
 */
export async function listenForCode(state: string) {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const code = new Promise<string>((resolve, reject) => {
    server.on('request', (request, response) => {
      const returned = readReturned(request, port)
      if (returned?.get('state') !== state) return void response.writeHead(404, headers).end()
      const value = returned.get('code')
      response.writeHead(200, headers)
      if (value !== null) response.end(page('Return to the terminal'), () => resolve(value))
      else
        response.end(page('Cancelled'), () =>
          reject(new Problem('cancelled', { detail: 'Cancelled in the browser.' })),
        )
    })
  })
  return {
    port,
    code,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** Returns the parameters of a request to the address that the browser was given, and undefined for any other request. */
function readReturned({ method, url = '', headers: { host } }: IncomingMessage, port: number) {
  // A page of another site could have a name that leads to this machine.
  const isOurs = method === 'GET' && host === `127.0.0.1:${port}` && url.startsWith('/?')
  return isOurs ? new URLSearchParams(url.slice(2)) : undefined
}
