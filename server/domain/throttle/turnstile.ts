import { type Client, onceGivenUp, overloaded } from '../caller.js'
import { ClientDisconnected } from '../problem.js'

/** The queue for hashing, behind which the jobs of a turnstile wait again. */
export interface QueueBehind {
  /** Counts a waiting job of a network in the load of the process, until the returned function is called. */
  hold(network: string): () => void
  /** Returns how long a job of the network would wait that entered the queue now. */
  waitSeconds(network: string): number
}

/** Lets a limited number of jobs run at a time; the others wait in order of arrival. */
export interface Turnstile {
  /**
   * Runs a job as soon as fewer jobs than the limit run.
   *
   * @throws {ClientDisconnected}
   * @throws {Problem} `unavailable`, immediately if the jobs before it would take longer than the client's deadline
   */
  run<T>(client: Client, job: () => Promise<T>): Promise<T>
}

export function createTurnstile(limit: number, queue: QueueBehind): Turnstile {
  let running = 0
  /** Duration of the last job, in which it may have waited for several hashes. */
  let secondsPerJob = 0
  const waiting = new Set<() => void>()

  /** Returns how long a new job would wait here and in the queue behind, whose load may have grown since the last job. */
  function expectedSeconds({ network }: Client) {
    const queueSeconds = queue.waitSeconds(network)
    return ((waiting.size + 1) / limit) * Math.max(secondsPerJob, queueSeconds) + queueSeconds
  }

  const wait = (client: Client) =>
    new Promise<void>((resolve, reject) => {
      if (client.isDisconnected()) return reject(new ClientDisconnected())
      const seconds = expectedSeconds(client)
      if (performance.now() + seconds * 1000 > client.deadline) return reject(overloaded(seconds))
      const release = queue.hold(client.network)
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
      const startedAt = performance.now()
      try {
        return await job()
      } finally {
        secondsPerJob = (performance.now() - startedAt) / 1000
        const [next] = waiting
        if (next) {
          waiting.delete(next)
          next()
        } else running -= 1
      }
    },
  }
}
