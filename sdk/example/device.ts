/** Returns what to call the browser in a list of sessions, such as “Firefox on Linux”. */
export function deviceName(userAgent: string) {
  const browser = named(userAgent, { Edg: 'Edge', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' })
  const system = named(userAgent, {
    Android: 'Android',
    iPhone: 'iPhone',
    iPad: 'iPad',
    Mac: 'macOS',
    Windows: 'Windows',
    Linux: 'Linux',
  })
  return `${browser ?? 'Browser'}${system ? ` on ${system}` : ''}`
}

/** Returns the name of the first key in the text. Browsers also name those that they resemble, so the order counts. */
const named = (text: string, names: Record<string, string>) =>
  Object.entries(names).find(([key]) => text.includes(key))?.[1]
