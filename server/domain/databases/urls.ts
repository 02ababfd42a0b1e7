import { z } from 'zod'

const maxLength = 2_000

/** The URL of a webhook. */
export const webhookUrl = httpUrl(({ href }) => href)

/** The URL of an app, without a slash at its end: paths and codes are appended. */
export const appUrl = httpUrl(({ href, search }, fail) => {
  if (search) fail('must have no query')
  return href.replace(/\/+$/, '')
})

/** Returns the schema of an http or https URL, or null. */
function httpUrl(normalize: (url: URL, fail: (message: string) => void) => string) {
  const expected = 'must be an http or https URL, or "none"'
  return z
    .string(expected)
    .transform((text, { addIssue }) => {
      const url = URL.canParse(text) ? new URL(text) : undefined
      if (!url || !/^https?:$/.test(url.protocol)) {
        addIssue(expected)
        return z.NEVER
      }
      if (url.username || url.password || url.hash)
        addIssue('must have no user name, no password and no fragment')
      if (url.href.length > maxLength) addIssue(`must have at most ${maxLength} characters`)
      return normalize(url, addIssue)
    })
    .nullable()
}
