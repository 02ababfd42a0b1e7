import type { Files } from '../io/files.js'
import type { Answer, FileQuestion, Question, ServerMessage } from '../running-server/messages.js'

interface Waiting {
  question: Question
  resolve: (value: unknown) => void
  reject: (error: Error) => void
}

/** Returns a function that asks the process of a command, and functions that receive the answers and the end of a connection. */
export function createQuestions(send: (message: ServerMessage) => Promise<void>) {
  const waiting = new Map<number, Waiting>()
  let last = 0
  let ended: Error | undefined
  return {
    ask: (question: Question) =>
      new Promise<unknown>((resolve, reject) => {
        if (ended) return reject(ended)
        last += 1
        waiting.set(last, { question, resolve, reject })
        void send({ ask: question, number: last })
      }),
    receive({ answer, value, error }: Answer) {
      const question = waiting.get(answer)
      if (!question) throw new Error('the server has not asked this')
      waiting.delete(answer)
      if (error === undefined) question.resolve(value)
      else question.reject(Object.assign(new Error(String(error)), { code: String(error) }))
    },
    stop(error: Error) {
      for (const { question, reject } of waiting.values()) if ('confirm' in question) reject(error)
    },
    disconnect(error: Error) {
      ended = error
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    },
  }
}

/** Returns the files of another machine, which its process reads and writes. */
export function filesOfClient(ask: (question: FileQuestion) => Promise<unknown>): Files {
  return {
    async sizeOf(name) {
      const size = await ask({ file: 'sizeOf', name })
      return typeof size === 'number' ? size : undefined
    },
    async *read(name) {
      for (;;) {
        const chunk = await ask({ file: 'read', name })
        if (typeof chunk !== 'string') return
        yield Buffer.from(chunk, 'base64')
      }
    },
    async create(name) {
      await ask({ file: 'create', name })
      return {
        appendFile: (text) => ask({ file: 'append', name, text }),
        close: async () => void (await ask({ file: 'close', name })),
      }
    },
    async remove(name) {
      await ask({ file: 'remove', name })
    },
  }
}
