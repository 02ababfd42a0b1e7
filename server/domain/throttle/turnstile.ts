import { type Client, onceGivenUp } from '../caller.js'
import { ClientDisconnected } from '../problem.js'

/** Lets a limited number of jobs run at a time; the others wait in order of arrival. */
export interface Turnstile {
  /**
   * Runs a job as soon as fewer jobs than the limit run.
   *
   * @throws {ClientDisconnected}
   * @throws {Problem} `unavailable` if the deadline of the client passes first
   */
  run<T>(client: Client, job: () => Promise<T>): Promise<T>
}

/** @param hold counts a waiting job of a network in the load of the process until the returned function is called */
export function createTurnstile(limit: number, hold: (network: string) => () => void): Turnstile {
  let running = 0
  const waiting = new Set<() => void>()

  const wait = (client: Client) =>
    new Promise<void>((resolve, reject) => {
      if (client.isDisconnected()) return reject(new ClientDisconnected())
      const release = hold(client.network)
      const enter = () => {
        stop()
        release()
        resolve()
      }
      const stop = onceGivenUp(client, (error) => {
        waiting.delete(enter)
        release()
        reject(error)
      })
      waiting.add(enter)
    })

  return {
    async run(client, job) {
      if (running < limit) running += 1
      else await wait(client)
      try {
        return await job()
      } finally {
        const [next] = waiting
        if (next) {
          waiting.delete(next)
          next()
        } else running -= 1
      }
    },
  }
}
