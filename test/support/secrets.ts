import type { InjectOptions } from 'fastify'
import { expect } from 'vitest'

/** A word shorter than this may stand in a log by chance. */
const shortest = 6

/** Collects the passwords, tokens and addresses that go over the wire, none of which may be logged. */
export function watchSecrets() {
  const secrets = new Set<string>()
  const add = (value: unknown) => {
    if (typeof value === 'string' && value.trim().length >= shortest) secrets.add(value.trim())
  }
  return {
    note({ payload, headers }: InjectOptions, answer: string) {
      const { password, email, newTenant, preferredName } = (payload ?? {}) as Record<string, unknown>
      for (const value of [password, email, newTenant, preferredName]) add(value)
      add(headers?.authorization?.toString().split(' ')[1])
      add(headers?.['idempotency-key'])
      for (const [jwt] of answer.matchAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g)) add(jwt)
    },
    expectNoneIn(text: string) {
      const found = [...secrets].filter(
        (secret) => text.includes(secret) || text.includes(JSON.stringify(secret)),
      )
      expect(found, 'logged').toEqual([])
    },
  }
}
