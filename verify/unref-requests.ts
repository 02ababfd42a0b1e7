/** The message that Node publishes when `fetch` sends a request: https://undici.nodejs.org, "Diagnostics Channel Support". */
interface SentRequest {
  request: { origin: string; path: string }
  socket: { unref?: () => void }
}

interface Channels {
  subscribe(name: string, listener: (message: never) => void): void
  unsubscribe(name: string, listener: (message: never) => void): void
}

const channel = 'undici:client:sendHeaders'

/**
 * Lets Node exit while a request to this URL waits for its response. Other runtimes wait for it.
 *
 * @returns a function that stops this for later requests
 */
export function unrefRequests(url: string) {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => Channels | undefined }
  }
  const channels = process?.getBuiltinModule?.('node:diagnostics_channel')
  const { origin, pathname } = new URL(url)
  const listener = ({ request, socket }: SentRequest) => {
    if (request.origin === origin && request.path.startsWith(`${pathname}?`)) socket.unref?.()
  }
  channels?.subscribe?.(channel, listener)
  return () => channels?.unsubscribe?.(channel, listener)
}
