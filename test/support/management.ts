import { Scope } from '@usher/contract/management'
import { expect } from 'vitest'
import { it as apiTest } from './api.js'
import type { TestDatabase } from './app.js'
import { createApiKey } from './operator-changes.js'

/** `it` with the management API of a new database for each test. */
export const it = apiTest.extend('manage', async ({ usher, store }) => {
  const database = await usher.newDatabase()
  const operation = () => ({ store, now: new Date(usher.clock.now) })
  const root = database.users.replace(/users$/, 'management')
  /** Sends a request with a key. Fails if the response names a command, which its reader cannot run. */
  const send = async (
    key: string | undefined,
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    payload?: object,
    headers: Record<string, string> = {},
  ) => {
    const response = await usher.send({
      method,
      url: `${root}/${path}`,
      headers: { ...headers, ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      ...(payload && { payload }),
    })
    // Cursors and codes are random, and may look like an option.
    const text = response.body.replace(/"(next|code)":"[^"]*"/g, '')
    expect(text, 'a response that names a command').not.toMatch(/usher |--[a-z]/)
    return response
  }
  /** Creates a key, with all scopes unless some are given. */
  const newKey = (scopes: Scope[] = Scope.options, of: TestDatabase = database) =>
    createApiKey(operation(), of, { name: 'backend', scopes, expiresInSeconds: 3600 })
  return { database, send, newKey, operation }
})
