import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request that a webhook receiver got. */
export interface Received {
  method: string
  headers: Record<string, string>
  body: string
  /** The parsed body. */
  event: { type: string; timestamp: string; data: Record<string, string> }
}

type Answer = (response: ServerResponse, received: Received) => void

/** Starts a receiver of webhooks that returns 204, or what a test sets. It keeps all requests. */
export async function startReceiver() {
  const requests: Received[] = []
  const receiver = {
    requests,
    url: '',
    answer: ((response) => response.writeHead(204).end()) as Answer,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  const server = createServer(async (request: IncomingMessage, response) => {
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    const headers = request.headers as Record<string, string>
    const received = { method: String(request.method), headers, body, event: JSON.parse(body || '{}') }
    requests.push(received)
    receiver.answer(response, received)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return receiver
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>
