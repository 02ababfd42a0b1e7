// Writes the documents that follow from the code. With --check, fails if one is out of date.
import { readFileSync, writeFileSync } from 'node:fs'
import { commands } from './docs/commands.js'
import { configuration, environmentExample } from './docs/configuration.js'
import { events } from './docs/events.js'
import { limits } from './docs/limits.js'
import { metrics } from './docs/metrics.js'
import { problems } from './docs/problems.js'
import { keysAndOperators, scopes, users } from './docs/roles.js'
import { notices, settings } from './docs/settings.js'

/** What stands between `<!-- NAME -->` and `<!-- end -->`, by file and name. */
const documents = {
  'docs/commands.md': { commands },
  'docs/configuration.md': { configuration },
  'docs/guides/mail.md': { notices },
  'docs/guides/webhooks.md': { events },
  'docs/limits.md': limits,
  'docs/observability.md': { metrics },
  'docs/problems.md': { problems },
  'docs/roles.md': { scopes, keysAndOperators, users },
  'docs/settings.md': { settings },
}

/** Writes a file, or fails if it is out of date. */
function write(file, former, text) {
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (former !== text) throw new Error(`${file} is out of date. Run npm run docs.`)
}

for (const [file, parts] of Object.entries(documents)) {
  const former = readFileSync(file, 'utf8')
  const text = Object.entries(parts).reduce((before, [name, part]) => {
    const [start, end] = [`<!-- ${name} -->`, '<!-- end -->']
    const from = before.indexOf(start)
    if (from < 0) throw new Error(`${file} lacks ${start}`)
    return `${before.slice(0, from + start.length)}\n\n${part}\n\n${before.slice(before.indexOf(end, from))}`
  }, former)
  write(file, former, text)
}
write('.env.example', readFileSync('.env.example', 'utf8'), environmentExample)
