import { AsyncLocalStorage } from 'node:async_hooks'
import type { TestApi } from '../support/app.js'
import type { OpenStore } from '../support/open-store.js'

interface Watched {
  /** Writes that have not ended. */
  writes: Set<string>
  hasFoundDatabase: boolean
}

/** What is known of each request. */
const requests = new AsyncLocalStorage<Watched>()

const transactionText = 'a transaction'
const isWrite = (text: string) =>
  text === transactionText || /\b(INSERT INTO|UPDATE|DELETE FROM) usher\./.test(text)

const targetOf = (text: string) => text.match(/\b(INSERT INTO|UPDATE|DELETE FROM) usher\.\S+/)?.[0] ?? text

/**
 * Watches the statements of requests. Each write must end before the next begins, and all before the response.
 * Otherwise a failure would leave a part of a change, or a client would read what was there before its request. No
 * request may look up its database twice.
 */
export function watchWrites(store: OpenStore) {
  const errors = new Set<string>()
  async function watched<Result>(text: string, run: () => Promise<Result>) {
    const request = requests.getStore()
    if (request && text.includes('usher.workspace')) {
      if (request.hasFoundDatabase) errors.add(`the database is looked up again by ${text}`)
      request.hasFoundDatabase = true
    }
    if (!request || !isWrite(text)) return run()
    const { writes } = request
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
      app.addHook('preValidation', (_request, _reply, done) =>
        requests.run({ writes: new Set(), hasFoundDatabase: false }, done),
      )
      app.addHook('onSend', async () => {
        for (const text of requests.getStore()?.writes ?? [])
          errors.add(`${targetOf(text)} is not awaited before the response`)
      })
      // Deliveries go on after the response.
      const { deliver } = context
      context.deliver = (messages) => requests.exit(() => deliver(messages))
    },
    /** Returns the errors of all requests. */
    errors: () => [...errors],
  }
}
