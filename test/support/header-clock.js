import { Server } from 'node:http'

// Loaded before `usher serve`. Sets the clock of the process to the header x-test-clock of the latest request.

let now = Date.now()
Date.now = () => now

const { emit } = Server.prototype
Server.prototype.emit = function (event, ...rest) {
  const time = event === 'request' && rest[0].headers['x-test-clock']
  if (time) now = Number(time)
  return emit.call(this, event, ...rest)
}
