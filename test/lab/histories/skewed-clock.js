// Loaded before `usher serve`. Sets the clock of the process ahead by CLOCK_SKEW milliseconds.

// biome-ignore lint/style/noProcessEnv: of the process that loads this
const skew = Number(process.env.CLOCK_SKEW)
const { now } = Date
Date.now = () => now() + skew
