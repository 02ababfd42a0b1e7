import type { Client } from '@usher/sdk'
import { createSessionClient, type SessionClientOptions } from '@usher/sdk/session'
import { connect } from './api.js'
import { type Problem, problemOf } from './problems.js'

type Fetch = NonNullable<SessionClientOptions['fetch']>

/** Where the refresh token is kept: in a cookie that only this path receives. */
const path = '/console/session'

/**
 * Stands for the refresh token of the cookie that this page has got. It has an ID, so that other tabs notice another session.
 */
let placeholder: string | undefined

/** Why the session was not refreshed the last time. */
export let refreshProblem: Problem | undefined

/** Sends what has a refresh token to the path of the cookie, and everything else without cookies. */
const fetchWithCookie: Fetch = async (url, { body, ...init }) => {
  const [, operation] = /\/users\/(me\/session|session\/refresh|session\/end)$/.exec(url) ?? []
  if (!operation) return fetch(url, { ...init, credentials: 'omit', ...(body && { body }) })
  const given = JSON.parse(body ?? '{}')
  const send = (method: string, more = {}) =>
    fetch(path, { ...init, method, body: '{}', credentials: 'same-origin', ...more })

  if (operation === 'session/end') {
    // Opening a session has replaced the cookie, and has ended the former session.
    const isReplaced = placeholder !== undefined && given.refreshToken !== placeholder
    return isReplaced ? new Response(null, { status: 204 }) : send('DELETE')
  }
  if (operation === 'session/refresh') {
    const response = await send('PUT').catch((error) => {
      refreshProblem = problemOf(0, '')
      throw error
    })
    if (!response.ok) refreshProblem = problemOf(response.status, await response.clone().text())
    return withToken(response, given.refreshToken)
  }
  const response = await send('POST', { ...(body && { body }) })
  if (response.ok) placeholder = `cookie-${crypto.randomUUID()}`
  return withToken(response, placeholder)
}

/** Adds a refresh token to a response, which has none. */
async function withToken(response: Response, value: string | undefined) {
  if (!response.ok) return response
  const body = await response.json()
  const refreshToken = { maxAge: 43_200, ...body.refreshToken, value, type: 'REFRESH_TOKEN' }
  return new Response(JSON.stringify({ ...body, refreshToken }), response)
}

/** Creates the client of the operators’ database. Tokens are in memory only. */
export function createConsoleClient(of: { workspace: string; database: string }): Client {
  const client = createSessionClient({
    baseUrl: location.origin,
    ...of,
    fetch: fetchWithCookie,
    sessionStore: () => localStorage,
    label: 'Console',
  })
  connect({
    token: client.getToken,
    async renew() {
      const former = client.token
      // The client replaces a token that the server rejects.
      await client.me()
      return client.token !== undefined && client.token !== former
    },
  })
  return client
}
