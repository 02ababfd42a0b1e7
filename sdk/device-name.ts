/** What user agents write in place of the common name. */
const names: Record<string, string> = {
  Edg: 'Edge',
  OPR: 'Opera',
  FxiOS: 'Firefox',
  CriOS: 'Chrome',
  Mac: 'macOS',
  CrOS: 'ChromeOS',
}

const runtime = globalThis as { navigator?: { userAgent?: string } }

/**
 * Returns what the list of sessions calls this browser, such as `Firefox on Linux`, without versions or models. Undefined if it is no
 * known browser.
 */
export function deviceName() {
  const { userAgent = '' } = runtime.navigator ?? {}
  // Most browsers also name Chrome or Safari.
  const browser = /Edg|OPR|Firefox|FxiOS|CriOS/.exec(userAgent) ?? /Chrome|Safari/.exec(userAgent)
  if (!browser) return undefined
  const system = /Android|iPhone|iPad|Windows|Mac|CrOS|Linux(?!; A)/.exec(userAgent) ?? []
  return [browser[0], ...system].map((name) => names[name] ?? name).join(' on ')
}
