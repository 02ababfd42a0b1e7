import { Server } from 'node:http'

// Loaded before `usher serve`. Sets the clock of the process to the header x-test-clock of the latest request, and the clock
// of its caches ahead by x-test-cache-ahead milliseconds.

let now = Date.now()
Date.now = () => now

let ahead = 0
const performanceNow = performance.now.bind(performance)
performance.now = () => performanceNow() + ahead

const { emit } = Server.prototype
Server.prototype.emit = function (event, ...rest) {
  const headers = event === 'request' ? rest[0].headers : {}
  if (headers['x-test-clock']) now = Number(headers['x-test-clock'])
  // It is never set back.
  ahead = Math.max(ahead, Number(headers['x-test-cache-ahead'] ?? 0))
  return emit.call(this, event, ...rest)
}
