import { run } from './program.js'

// All files that a command writes are only for its user: the embedded store, exports, rejected lines of an import.
process.umask(0o077)
// A reader may stop early, as `head` does. The command still finishes its work.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}
process.exitCode = await run(process.argv.slice(2))
