import { Server } from 'node:http'

// Loaded before `usher serve`. The clock of the process stands at the time of TEST_CLOCK, and at that of the latest request
// for /test-clock.

const performanceNow = performance.now.bind(performance)
let now
let ahead = 0
Date.now = () => now
performance.now = () => performanceNow() + ahead

/** @param query `now` in milliseconds, and by how many milliseconds the clock of caches is ahead */
function setTime(query) {
  const time = new URLSearchParams(query)
  now = Number(time.get('now'))
  // It is never set back.
  ahead = Math.max(ahead, Number(time.get('cacheAhead')))
}
// biome-ignore lint/style/noProcessEnv: a setting of tests
setTime(process.env.TEST_CLOCK)

const { emit } = Server.prototype
Server.prototype.emit = function (event, ...rest) {
  const [path, query] = event === 'request' ? rest[0].url.split('?') : []
  if (path !== '/test-clock') return emit.call(this, event, ...rest)
  setTime(query)
  rest[1].end()
  return true
}
