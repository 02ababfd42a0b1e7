import { UsageError } from '../operator-error.js'

const maxLength = 2_000

/** Returns the URL of a webhook. @throws {UsageError} if it is not one */
export const parseWebhookUrl = (text: string) => parseUrl('--webhook-url', text).href

/** Returns the URL of an app without a slash at its end: paths and codes are appended. @throws {UsageError} */
export function parseAppUrl(text: string) {
  const { href, search } = parseUrl('--app-url', text)
  if (search) throw new UsageError('--app-url must have no query')
  return href.replace(/\/+$/, '')
}

function parseUrl(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`${option} must be an http or https URL, or "none"`)
  }
  if (url.username || url.password || url.hash) {
    throw new UsageError(`${option} must have no user name, no password and no fragment`)
  }
  if (url.href.length > maxLength) throw new UsageError(`${option} must have at most ${maxLength} characters`)
  return url
}
