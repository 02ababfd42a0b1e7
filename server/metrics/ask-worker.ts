import type { Worker } from 'node:cluster'

/** Time limit for the response of a worker. */
const timeoutMilliseconds = 1_000

/** In a worker: answers a question of the primary process. */
export function answer(question: string, respond: () => unknown) {
  process.on('message', async (message) => {
    if (message === question) process.send?.({ [question]: await respond() })
  })
}

/** In the primary process: asks a worker. Returns undefined if it does not respond in time. */
export function ask<Response>(worker: Worker, question: string) {
  return new Promise<Response | undefined>((resolve) => {
    const settle = (response?: Response) => {
      clearTimeout(timer)
      worker.off('message', listen)
      resolve(response)
    }
    const listen = (message: Record<string, Response | undefined> | string) => {
      if (typeof message === 'object' && message[question] !== undefined) settle(message[question])
    }
    const timer = setTimeout(settle, timeoutMilliseconds)
    worker.on('message', listen)
    worker.send(question, (error) => error && settle())
  })
}
