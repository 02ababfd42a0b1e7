import { AsyncLocalStorage } from 'node:async_hooks'
import type { TestApi } from './app.js'
import type { OpenStore } from './open-store.js'

/** Writes of a request that have not ended. */
const requests = new AsyncLocalStorage<Set<string>>()

const transactionText = 'a transaction'
const isWrite = (text: string) =>
  text === transactionText || /\b(INSERT INTO|UPDATE|DELETE FROM) usher\./.test(text)

const targetOf = (text: string) => text.match(/\b(INSERT INTO|UPDATE|DELETE FROM) usher\.\S+/)?.[0] ?? text

/**
 * Watches the writes of requests: each must end before the next begins, and all before the response. Otherwise a
 * failure would leave a part of a change, or a client would read what was there before its request.
 */
export function watchWrites(store: OpenStore) {
  const errors = new Set<string>()
  async function watched<Result>(text: string, run: () => Promise<Result>) {
    const writes = requests.getStore()
    if (!writes || !isWrite(text)) return run()
    for (const other of writes) errors.add(`${targetOf(other)} is not awaited before ${targetOf(text)}`)
    writes.add(text)
    try {
      return await run()
    } finally {
      writes.delete(text)
    }
  }
  return {
    store: {
      ...store,
      query: (text, values, milliseconds) => watched(text, () => store.query(text, values, milliseconds)),
      transaction: (...parameters) => watched(transactionText, () => store.transaction(...parameters)),
    } as OpenStore,
    /** Call before the first request of an app. */
    watch({ app, context }: TestApi) {
      // A body is parsed outside of what its request runs in.
      app.addHook('preValidation', (_request, _reply, done) => requests.run(new Set(), done))
      app.addHook('onSend', async () => {
        for (const text of requests.getStore() ?? [])
          errors.add(`${targetOf(text)} is not awaited before the response`)
      })
      // Deliveries go on after the response.
      const { deliver } = context
      context.deliver = (messages) => requests.exit(() => deliver(messages))
    },
    /** Returns what no request has waited for. */
    errors: () => [...errors],
  }
}
