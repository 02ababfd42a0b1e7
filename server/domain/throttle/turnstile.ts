import { type Client, onceGivenUp, overloaded } from '../caller.js'
import { ClientDisconnected } from '../problem.js'

/** The queue for hashing, in which the jobs of a turnstile wait again. */
export interface QueueBehind {
  /** Counts a waiting job of a network in the load of the process, until the returned function is called. */
  hold(network: string): () => void
  /** Returns the expected wait of a new job of the network. */
  waitSeconds(network: string): number
}

/** Lets a limited number of jobs run at a time. The others wait in order of arrival. */
export interface Turnstile {
  /**
   * Runs a job as soon as fewer jobs than the limit run.
   *
   * @throws {ClientDisconnected}
   * @throws {Problem} `unavailable`: immediately if the expected wait exceeds the client's deadline, otherwise at the deadline
   */
  run<T>(client: Client, job: () => Promise<T>): Promise<T>
}

export function createTurnstile(limit: number, queue: QueueBehind): Turnstile {
  let running = 0
  /** Duration of the last job, which may include waits for several hashes. */
  let secondsPerJob = 0
  const waiting = new Set<() => void>()

  /** Returns the expected wait of a new job here and in the queue for hashing, whose load may have grown. */
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
