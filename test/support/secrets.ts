import type { InjectOptions } from 'fastify'
import { expect } from 'vitest'

/** Shorter words may be in a log by chance. */
const minLength = 6

const secretFields = [
  'password',
  'newPassword',
  'passwordHash',
  'email',
  'newTenant',
  'preferredName',
  'label',
  'refreshToken',
  'code',
]

/** Collects passwords, tokens, codes and emails of requests and responses, which must not be logged. */
export function watchSecrets() {
  const secrets = new Set<string>()
  const add = (value: unknown) => {
    if (typeof value === 'string' && value.trim().length >= minLength) secrets.add(value.trim())
  }
  return {
    note({ payload, headers }: InjectOptions, responseBody: string) {
      const body = (payload ?? {}) as Record<string, unknown>
      for (const name of secretFields) add(body[name])
      add(headers?.authorization?.toString().split(' ')[1])
      add(headers?.['idempotency-key'])
      for (const [jwt] of responseBody.matchAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g)) add(jwt)
      for (const [refreshToken] of responseBody.matchAll(/[\w-]{36}\.\d+\.[\w-]{43}/g)) add(refreshToken)
    },
    expectNoneIn(text: string) {
      const found = [...secrets].filter(
        (secret) => text.includes(secret) || text.includes(JSON.stringify(secret)),
      )
      expect(found, 'logged').toEqual([])
    },
  }
}
