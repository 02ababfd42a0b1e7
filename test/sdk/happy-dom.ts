import { Window } from 'happy-dom'
import type { ReactNode } from 'react'
import type * as ReactDom from 'react-dom/client'
import { vi } from 'vitest'

const globals = [
  'document',
  'location',
  'history',
  'navigator',
  'localStorage',
  'FormData',
  'HTMLIFrameElement',
  'Event',
] as const

interface PageOptions {
  /** The HTML of a server, which is hydrated. `hydrationErrors` has what differs. */
  serverHtml?: string | undefined
  url?: string
}

/** Renders an element in a new page, whose globals are those of the test from then on. */
export async function renderPage(
  node: ReactNode,
  { serverHtml, url = 'http://localhost' }: PageOptions = {},
) {
  const window = new Window({ url })
  const { document } = window
  for (const name of globals) vi.stubGlobal(name, window[name])
  vi.stubGlobal('window', window)
  // React looks at the globals when it is imported.
  const { createRoot, hydrateRoot }: typeof ReactDom = await import('react-dom/client')
  const body = document.body as unknown as Element
  const hydrationErrors: unknown[] = []
  const onRecoverableError = (error: unknown) => hydrationErrors.push(error)
  body.innerHTML = serverHtml ?? ''
  const root = serverHtml === undefined ? createRoot(body) : hydrateRoot(body, node, { onRecoverableError })
  if (serverHtml === undefined) root.render(node)

  return {
    hydrationErrors,
    text: () => document.body.textContent,
    button: (label: string) =>
      [...document.querySelectorAll('button')].find(({ textContent }) => textContent === label),
    /** Types into inputs, by name. */
    fill(values: Record<string, string>) {
      // React replaces the setter of each input, and ignores an event if it saw the new value.
      const { set } = Object.getOwnPropertyDescriptor(window.HTMLInputElement.prototype, 'value') ?? {}
      for (const [name, value] of Object.entries(values)) {
        const input = document.querySelector(`input[name="${name}"]`)
        set?.call(input, value)
        input?.dispatchEvent(new window.Event('input', { bubbles: true }))
      }
    },
    async close() {
      root.unmount()
      // React runs the last effects later, and they need the globals.
      for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate)
      await window.happyDOM.close()
    },
  }
}
