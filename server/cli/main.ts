import { run } from './program.js'

// All that a command writes is for its user only: the embedded store, exports, rejected lines of an import.
process.umask(0o077)
process.exitCode = await run(process.argv.slice(2))
