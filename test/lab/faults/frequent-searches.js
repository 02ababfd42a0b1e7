import timers from 'node:timers'

// Loaded before `usher serve`. It searches for messages every 100 ms instead of every 2 s.

const { setTimeout } = timers
const shortened = (run, delay, ...values) => setTimeout(run, delay === 2_000 ? 100 : delay, ...values)
// With what `promisify` uses.
globalThis.setTimeout = Object.defineProperties(shortened, Object.getOwnPropertyDescriptors(setTimeout))
