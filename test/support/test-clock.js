import { Server } from 'node:http'

// Loaded before `usher serve`. The clock of the process stands at the time in the URL of this module, and then at that of the
// latest request for /test-clock.

const performanceNow = performance.now.bind(performance)
let now
let ahead = 0
Date.now = () => now
performance.now = () => performanceNow() + ahead

/** @param time `now` in milliseconds, and by how many milliseconds the clock of caches is ahead */
function setTime(time) {
  now = Number(time.get('now'))
  // It is never set back.
  ahead = Math.max(ahead, Number(time.get('cacheAhead')))
}
setTime(new URL(import.meta.url).searchParams)

const { emit } = Server.prototype
Server.prototype.emit = function (event, ...rest) {
  const [path, query] = event === 'request' ? rest[0].url.split('?') : []
  if (path !== '/test-clock') return emit.call(this, event, ...rest)
  setTime(new URLSearchParams(query))
  rest[1].end()
  return true
}
