import { Server } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

// Loaded before `usher serve`. Answers a request that has the header x-test-usage with the bytes of the heap after a
// garbage collection and the microseconds of CPU time that the process has used.

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

const { emit } = Server.prototype
Server.prototype.emit = function (event, ...rest) {
  if (event !== 'request' || !rest[0].headers['x-test-usage']) return emit.call(this, event, ...rest)
  collectGarbage()
  rest[1].end(JSON.stringify({ heap: process.memoryUsage().heapUsed, ...process.cpuUsage() }))
  return true
}
