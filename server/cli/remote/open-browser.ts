import { spawn } from 'node:child_process'

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` would need a shell, which gives characters of the address a meaning.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens an address in the browser, if this machine has one. The caller prints the address too. */
export function openBrowser(address: string) {
  if (!hasBrowser()) return
  const [command, ...args] = openers[process.platform] ?? ['xdg-open']
  spawn(command, [...args, address], { detached: true, stdio: 'ignore' })
    .on('error', () => undefined)
    .unref()
}

function hasBrowser() {
  // biome-ignore lint/style/noProcessEnv: of the desktop, which are no settings of a server
  const { SSH_CONNECTION, DISPLAY, WAYLAND_DISPLAY } = process.env
  if (SSH_CONNECTION) return false
  return process.platform in openers || Boolean(DISPLAY || WAYLAND_DISPLAY)
}
