/** A window that this page has opened. */
export interface Popup {
  location: { replace(url: string): void }
  close(): void
}

interface Channel {
  onmessage: ((message: { data: unknown }) => void) | null
  postMessage(message: string): void
  close(): void
}

interface Browser {
  open?(url: string, target: string, features: string): Popup | null
  close?(): void
  BroadcastChannel: new (name: string) => Channel
}

const browser = globalThis as unknown as Browser

export const openPopup = () => browser.open?.('', '_blank', 'popup,width=480,height=720')

/**
 * Leads a popup to a provider, and returns the link with which it returns. Undefined if the signal aborts. The pages of the provider
 * may sever this window from the popup (Cross-Origin-Opener-Policy), so the popup reports by a channel of the login.
 */
export const awaitLink = (
  popup: Popup,
  { login, url }: { login: string; url: string },
  signal: AbortSignal | undefined,
) =>
  new Promise<string | undefined>((resolve) => {
    const channel = new browser.BroadcastChannel(login)
    const finish = (link?: string) => {
      channel.close()
      signal?.removeEventListener('abort', abort)
      resolve(link)
    }
    const abort = () => {
      popup.close()
      finish()
    }
    channel.onmessage = ({ data }) => {
      channel.postMessage('')
      finish(String(data))
    }
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) return abort()
    popup.location.replace(url)
  })

/** Longer than a page takes to reply that is busy. */
const replyMs = 1_000

/**
 * Hands the link of a popup to the page that has opened it, and closes the popup. Returns false if that page does not reply, such as
 * after a reload: the popup then finishes the login.
 */
export const handOver = (login: string, link: string) =>
  new Promise<boolean>((resolve) => {
    const channel = new browser.BroadcastChannel(login)
    const finish = (isTaken: boolean) => {
      clearTimeout(timer)
      channel.close()
      if (isTaken) browser.close?.()
      resolve(isTaken)
    }
    const timer = setTimeout(() => finish(false), replyMs)
    channel.onmessage = () => finish(true)
    channel.postMessage(link)
  })
