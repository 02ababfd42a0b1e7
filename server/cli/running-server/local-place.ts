import { resolve } from 'node:path'
import { usageError } from '../../domain/problem.js'
import { filesAt } from '../io/files.js'
import type { Place } from './client-host.js'
import type { LocalStart } from './messages.js'

/** Files such as /dev/stdin, which are others in the process of a client than in the server. */
const ownFiles = /^\/(dev\/(fd|std|tty)|proc\/)/

/** Returns the place of a process on this machine: the server opens the files in its working directory. */
export function localPlace({ cwd, operator }: LocalStart): Place {
  function resolveIn(file: string) {
    const path = resolve(cwd, file)
    if (ownFiles.test(path))
      throw usageError(`a running server cannot use ${file}. Name another file, or stop the server`)
    return path
  }
  return {
    operator,
    resolve: resolveIn,
    files: filesAt(resolveIn),
    receive() {
      throw new Error('the server has asked nothing')
    },
    disconnect: () => undefined,
    stop: () => undefined,
  }
}
