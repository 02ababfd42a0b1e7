// For `node --import`: prints the modules and native addons that a process loads to stderr.
import { writeSync } from 'node:fs'
import { createRequire, register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

const print = (file) => writeSync(2, `loaded ${file}\n`)

/** Hook of the module loader, which runs on a thread of its own and sees only ES modules. */
export function load(url, context, next) {
  print(url)
  return next(url, context)
}

if (isMainThread) {
  register(import.meta.url)
  process.on('exit', () => {
    Object.keys(createRequire(import.meta.url).cache).forEach(print)
    process.report.getReport().sharedObjects.forEach(print)
  })
}
